import type { CodedError } from '#coded-error';
import { type StoreProblem, toStoreError } from '../policy/error-codes.js';

/**
 * Problems by result code of SQLite (sqlite.org/rescode.html; primary codes, except for the last) and by error code of
 * the system.
 */
const problems = new Map<unknown, StoreProblem>([
  [5, 'PROFILER_STORE_BUSY'],
  [6, 'PROFILER_STORE_BUSY'], // locked
  [8, 'PROFILER_STORE_READ_ONLY'],
  [11, 'PROFILER_STORE_CORRUPT'],
  [13, 'PROFILER_STORE_FULL'],
  [14, 'PROFILER_STORE_CANNOT_OPEN'],
  [26, 'PROFILER_STORE_CORRUPT'], // not a database
  [4874, 'PROFILER_STORE_FULL'], // SQLITE_IOERR_SHMSIZE: the shared-memory file cannot grow
  ['ENOSPC', 'PROFILER_STORE_FULL'],
  ['EDQUOT', 'PROFILER_STORE_FULL'],
  ['EROFS', 'PROFILER_STORE_READ_ONLY'],
  ['EACCES', 'PROFILER_STORE_CANNOT_OPEN'],
  ['EPERM', 'PROFILER_STORE_CANNOT_OPEN'],
  ['ENOTDIR', 'PROFILER_STORE_CANNOT_OPEN'],
  ['EEXIST', 'PROFILER_STORE_CANNOT_OPEN'],
]);

/** Converts an error of SQLite or of the file system to a coded error. */
export function toSqliteError(error: unknown, path: string): CodedError {
  return toStoreError(error, path, problemOf);
}

function problemOf(error: unknown): StoreProblem {
  const { errcode, code } = Object(error) as { readonly errcode?: unknown; readonly code?: unknown }; // of SQLite, of Node
  // Extended codes carry the primary one in their lowest byte.
  const primary = typeof errcode === 'number' ? errcode & 255 : undefined;
  return problems.get(errcode) ?? problems.get(primary) ?? problems.get(code) ?? 'PROFILER_STORE_FAILED';
}
