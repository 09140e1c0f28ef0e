import { UsageError } from './usage-error.js';

/** Parses the value of the option `name`: a whole number from 1 to `max`. Throws a `UsageError`. */
export function readNumber(name: string, text: string, max: number = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= max) return number;
  const range = max < Number.MAX_SAFE_INTEGER ? `to ${max.toLocaleString('en')}` : 'on';
  throw new UsageError(`--${name} must be a whole number from 1 ${range}, not "${text}".`);
}
