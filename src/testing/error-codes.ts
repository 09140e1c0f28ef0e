import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  TESTING_IN_PRODUCTION: {
    message: 'A test client was created for an application that runs in production.',
    fix: 'Run tests with NODE_ENV=test or APP_ENV=test, or pass createApp the configuration env "test".',
  },
} as const;

/** Errors in the use of the testing house. */
export const testingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
