import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  CONFIGURATION_INVALID: {
    message: 'The environment cannot be used:\n{problems}\n',
    fix: 'Set the variables in the environment, or in .env if the application loads it.',
  },
  CONFIGURATION_ASYNC_SCHEMA: {
    message: 'The schema of {variable} validates asynchronously.',
    fix: 'Configuration is read first, synchronously: use a schema without asynchronous checks.',
  },
  CONFIGURATION_UNREADABLE_FILE: {
    message: '{file} cannot be read: {reason}.',
    fix: 'Check its permissions, or remove it.',
  },
} as const;

/** Errors in the configuration of an application. */
export const configurationErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
