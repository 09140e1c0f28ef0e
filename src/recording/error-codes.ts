import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  CONFIG_BAD_VALUE: { message: '{variable} is "{value}".', fix: 'Set {variable} to {takes}.' },
} as const;

/** Errors in the environment variables of a process. */
export const recordingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
