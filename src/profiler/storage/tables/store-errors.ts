import { type CodedError, defineErrorCodes, type ErrorCodes, isCodedError } from '#core/coded-error';

const table = {
  PROFILER_STORE_ADDRESS: {
    message: '"{value}" is not a store address.',
    fix: 'Use "sqlite:" followed by a file path ("sqlite:var/profiler.db"), "postgres://…" (percent-encode special characters in the password) or "memory:".',
  },
  PROFILER_STORE_DRIVER: {
    message:
      'SQLite is not available: this Node version does not include it, and @photostructure/sqlite could not be loaded.',
    fix: 'Run "npm install @photostructure/sqlite@1.2.1", or use Node 22.13 or later.',
  },
  PROFILER_STORE_CLIENT: {
    message: 'PROFILER_STORE requires the package "{name}", which could not be loaded.',
    fix: 'Run "npm install {name}".',
  },
  PROFILER_STORE_AWAY: {
    message: '"{path}" cannot be reached: {reason}.',
    fix: 'Check that the server is running and the address is correct. lookback keeps trying; meanwhile, a limited number of records wait in memory.',
  },
  PROFILER_STORE_REFUSED: {
    message: '"{path}" refused access: {reason}.',
    fix: 'Check the user, password and database in PROFILER_STORE; docs/reference/stores.md lists the permissions.',
  },
  PROFILER_STORE_ABSENT: {
    message: 'There is no store at "{path}".',
    fix: 'Pass the store of the application with --store or PROFILER_STORE. It is created when the first request is recorded.',
  },
  PROFILER_STORE_FOREIGN: {
    message: '"{path}" is not a lookback store; it was left unchanged.',
    fix: 'Set PROFILER_STORE to a file that nothing else uses.',
  },
  PROFILER_STORE_NEWER: {
    message:
      '"{path}" was written by a newer version of lookback (schema {found}; this version supports {known}); it was left unchanged.',
    fix: 'Update lookback, or set PROFILER_STORE to another file.',
  },
  PROFILER_STORE_OLDER: {
    message:
      '"{path}" was written by an older version of lookback (schema {found}; this version writes {known}).',
    fix: 'No action needed: the next process that writes renames it and starts a new one. An older version of lookback can still read it.',
  },
  PROFILER_STORE_FULL: {
    message: 'No space is left for "{path}".',
    fix: 'Free disk space. Until then, a limited number of records wait in memory.',
  },
  PROFILER_STORE_READ_ONLY: {
    message: '"{path}" is not writable.',
    fix: 'Give the process write access to the file and its folder, or set PROFILER_STORE to another file.',
  },
  PROFILER_STORE_SERVER_READ_ONLY: {
    message: '"{path}" accepts no writes: the server, the database or the role is read-only.',
    fix: 'Set PROFILER_STORE to the address of the primary server, or allow writes (default_transaction_read_only). Until then, a limited number of records wait in memory.',
  },
  PROFILER_STORE_LOG_FULL: {
    message:
      'The write-ahead log of "{path}" has grown to {size} MiB and cannot be checkpointed, because another process keeps reading the file.',
    fix: 'Close the program that has the file open, such as a database shell, a viewer or a backup. Until then nothing is written, and a limited number of records wait in memory.',
  },
  PROFILER_STORE_CANNOT_OPEN: {
    message: '"{path}" cannot be opened: {reason}.',
    fix: 'Check that the folder exists and is writable, or set PROFILER_STORE to another file.',
  },
  PROFILER_STORE_CORRUPT: {
    message: '"{path}" is damaged.',
    fix: 'No action needed: the next process that writes renames it and starts a new file.',
  },
  PROFILER_STORE_BUSY: {
    message: '"{path}" is slow, or locked by another process.',
    fix: 'This usually resolves itself. Otherwise, stop the process that has the file open, or look for locks on the server.',
  },
  PROFILER_STORE_FAILED: {
    message: 'Writing to "{path}" failed: {reason}.',
    fix: 'lookback keeps trying; meanwhile, a limited number of records wait in memory.',
  },
} as const;

export const storeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Problems with an existing store. */
export type StoreProblem =
  `PROFILER_STORE_${'AWAY' | 'BUSY' | 'CANNOT_OPEN' | 'CORRUPT' | 'FAILED' | 'FULL' | 'READ_ONLY' | 'REFUSED' | 'SERVER_READ_ONLY'}`;

/** Converts a store failure to a coded error. `codeOf` maps the driver's errors to codes. */
export function toStoreError(
  error: unknown,
  path: string,
  codeOf: (error: unknown, reason: string) => StoreProblem,
): CodedError {
  if (isCodedError(error)) return error;
  // If several addresses were tried, the reasons are in an AggregateError.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const reason = inner instanceof Error ? inner.message.replace(/\.$/, '').slice(0, 300) : 'unknown';
  return storeErrors.create(codeOf(error, reason), { path, reason }, { cause: error });
}
