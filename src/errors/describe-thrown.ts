import { classNameOf, findData } from '#dump';

/** Class and message of a thrown value in one line, read without running anything of it; bounded, not redacted. */
export function describeThrown(error: unknown): string {
  if (typeof error === 'function') return 'a function'; // its toString could be foreign
  if (typeof error !== 'object' || error === null) return `${typeof error}: ${String(error).slice(0, 1000)}`;
  const message = findData(error, 'message');
  const name = classNameOf(error);
  return typeof message === 'string' && message !== '' ? `${name}: ${message.slice(0, 1000)}` : name;
}
