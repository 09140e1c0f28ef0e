import { sameName } from './same-name.js';

/** The first value of a field in names and values in turn; `lowerName` in lower case. */
export function findField(raw: readonly string[], lowerName: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at];
    if (name !== undefined && sameName(name, lowerName)) return raw[at + 1];
  }
  return undefined;
}
