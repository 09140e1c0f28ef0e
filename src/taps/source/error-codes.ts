import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  TAPS_UNKNOWN_TARGET: {
    message: '{function} does not know what it was given: {what}.',
    fix: 'It takes {known}. docs/taps.md says how to report anything else.',
  },
} as const;

/** What can be wrong with what is to be tapped. */
export const tapErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
