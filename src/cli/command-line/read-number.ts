import { UsageError } from './usage-error.js';

/** A whole number from 1 to `most`, as the option of this name has it. Throws a `UsageError`. */
export function readNumber(name: string, text: string, most: number = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
  const range = most < Number.MAX_SAFE_INTEGER ? `to ${most.toLocaleString('en')}` : 'on';
  throw new UsageError(`--${name} must be a whole number from 1 ${range}, not "${text}".`);
}
