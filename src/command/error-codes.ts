import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  COMMAND_BAD_NAME: {
    message: '"{name}" cannot be the name of a command.',
    fix: 'Use lower-case letters, digits and hyphens, with colons between parts: import, db:migrate.',
  },
  COMMAND_BAD_ARGUMENTS: { message: '{problem}', fix: 'Usage: {usage}' },
} as const;

/** Errors in the definition of a command or in its arguments. */
export const commandErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
