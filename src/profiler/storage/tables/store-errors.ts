import { type CodedError, defineErrorCodes, type ErrorCodes, isCodedError } from '#core/coded-error';

const table = {
  PROFILER_STORE_ADDRESS: {
    message: '"{value}" is not the address of a store.',
    fix: 'Use "sqlite:" and the path of a file ("sqlite:var/profiler.db"), "postgres://…" (with special characters of the password percent-encoded) or "memory:".',
  },
  PROFILER_STORE_DRIVER: {
    message:
      'SQLite is not available: this Node does not include it, and @photostructure/sqlite cannot be loaded.',
    fix: 'Run "npm install @photostructure/sqlite@1.2.1", or use Node 22.13 or later.',
  },
  PROFILER_STORE_CLIENT: {
    message: 'PROFILER_STORE needs the package "{name}", which cannot be loaded.',
    fix: 'Run "npm install {name}".',
  },
  PROFILER_STORE_AWAY: {
    message: '"{path}" cannot be reached: {reason}.',
    fix: 'Check that the server runs and the address is right. lookback keeps trying; meanwhile, records wait in memory (bounded).',
  },
  PROFILER_STORE_REFUSED: {
    message: '"{path}" refused: {reason}.',
    fix: 'Check user, password and database in PROFILER_STORE; docs/reference/stores.md lists the permissions.',
  },
  PROFILER_STORE_ABSENT: {
    message: 'There is no store at "{path}".',
    fix: 'Name the store of the application with --store or PROFILER_STORE; it is created when the first request is recorded.',
  },
  PROFILER_STORE_FOREIGN: {
    message: '"{path}" is not a store of records, and is left unchanged.',
    fix: 'Give PROFILER_STORE a file of its own.',
  },
  PROFILER_STORE_NEWER: {
    message:
      '"{path}" was written by a newer version (schema {found}, this one knows {known}) and is left unchanged.',
    fix: 'Update lookback, or give PROFILER_STORE another file.',
  },
  PROFILER_STORE_OLDER: {
    message: '"{path}" was written by an older version (schema {found}, this one writes {known}).',
    fix: 'Nothing to do: the next process that writes renames it and begins a new one. An older lookback can still read it.',
  },
  PROFILER_STORE_FULL: {
    message: 'There is no space left for "{path}".',
    fix: 'Free disk space; until then, records wait in memory (bounded).',
  },
  PROFILER_STORE_READ_ONLY: {
    message: '"{path}" cannot be written.',
    fix: 'Let the process write the file and its folder, or give PROFILER_STORE another file.',
  },
  PROFILER_STORE_SERVER_READ_ONLY: {
    message: '"{path}" accepts no writes: the server, the database or the role is read-only.',
    fix: 'Give PROFILER_STORE the address of the primary server, or allow writes (default_transaction_read_only); until then, records wait in memory (bounded).',
  },
  PROFILER_STORE_LOG_FULL: {
    message:
      'The write-ahead log of "{path}" has {size} MiB and cannot be written back, because another process keeps reading the file.',
    fix: 'Close what has the file open: a database shell or viewer, or a backup. Until then nothing is written, and records wait in memory (bounded).',
  },
  PROFILER_STORE_CANNOT_OPEN: {
    message: '"{path}" cannot be opened: {reason}.',
    fix: 'Check that the folder exists and is writable, or give PROFILER_STORE another file.',
  },
  PROFILER_STORE_CORRUPT: {
    message: '"{path}" is damaged.',
    fix: 'Nothing to do: the next process that writes renames it and begins a new file.',
  },
  PROFILER_STORE_BUSY: {
    message: '"{path}" is slow, or locked by another process.',
    fix: 'Usually resolves itself; otherwise stop the process that has the file open, or look for locks on the server.',
  },
  PROFILER_STORE_FAILED: {
    message: 'Writing to "{path}" failed: {reason}.',
    fix: 'lookback keeps trying; meanwhile, records wait in memory (bounded).',
  },
} as const;

export const storeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Problems of an existing store. */
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
