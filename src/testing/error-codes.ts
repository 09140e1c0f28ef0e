import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  TESTING_IN_PRODUCTION: {
    message: 'A test client was created for an application that runs in production.',
    fix: 'Run tests with NODE_ENV=test or APP_ENV=test, or pass createApp the configuration env "test".',
  },
} as const;

/** What can be wrong with how the helpers for tests are used. */
export const testingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
