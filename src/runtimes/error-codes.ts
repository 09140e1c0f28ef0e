import { type ErrorCodes, defineErrorCodes } from '#coded-error';

const table = {
  RUNTIME_MISSING: {
    message: '{call} was called on another runtime: there is no {name}.',
    fix: 'Run the program with {name}; on Node.js call app.listen().',
  },
} as const;

export const runtimeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
