import { webErrors } from './error-codes.js';

/** Maximum delay of a Node timer; with a longer delay, a timer fires at once. */
const maxMilliseconds = 2_147_483_647;

/**
 * Converts an option in units of `scale` milliseconds to the delay of a timer. `Infinity` and values that are too long
 * for a timer become the maximum, about 24 days. Throws `WEB_BAD_OPTION` if the value is not a duration.
 */
export function timerMilliseconds(
  given: number,
  { option, what, scale }: { readonly option: string; readonly what: string; readonly scale: 1 | 1000 },
): number {
  if (given > 0) return Math.min(given * scale, maxMilliseconds);
  const unit = scale === 1 ? 'milliseconds' : 'seconds';
  throw webErrors.create('WEB_BAD_OPTION', { option, what, given, takes: `${unit} above 0` });
}
