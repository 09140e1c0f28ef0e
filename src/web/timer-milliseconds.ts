import { webErrors } from './error-codes.js';

/** The longest that a timer of Node takes: what is above fires at once. */
const maxMilliseconds = 2_147_483_647;

/**
 * Milliseconds of a timer for an option in the unit of `scale` milliseconds; `Infinity` and whatever is too long for a timer
 * is the longest there is, some 24 days. Throws `WEB_BAD_OPTION` for what is no time.
 */
export function timerMilliseconds(
  given: number,
  { option, what, scale }: { readonly option: string; readonly what: string; readonly scale: 1 | 1000 },
): number {
  if (given > 0) return Math.min(given * scale, maxMilliseconds);
  const unit = scale === 1 ? 'milliseconds' : 'seconds';
  throw webErrors.create('WEB_BAD_OPTION', { option, what, given, takes: `${unit} above 0` });
}
