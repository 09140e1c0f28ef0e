import type { CodedError } from '#coded-error';
import { isCodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const code = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

/** What went wrong with a database, in our words. */
export function toStoreError(error: unknown, path: string): CodedError {
  if (isCodedError(error)) return error;
  const reason = reasonOf(error);
  const options = { cause: error };
  if (isOutOfRoom(error)) return storeErrors.create('PROFILER_STORE_FULL', { path }, options);
  switch (primaryCode(error)) {
    case code.busy:
    case code.locked:
      return storeErrors.create('PROFILER_STORE_BUSY', { path }, options);
    case code.readOnly:
      return storeErrors.create('PROFILER_STORE_READ_ONLY', { path }, options);
    case code.full:
      return storeErrors.create('PROFILER_STORE_FULL', { path }, options);
    case code.corrupt:
    case code.notADatabase:
      return storeErrors.create('PROFILER_STORE_CORRUPT', { path }, options);
    case code.cannotOpen:
      return storeErrors.create('PROFILER_STORE_CANNOT_OPEN', { path, reason }, options);
    default:
      return toSystemError(error, path, reason);
  }
}

function toSystemError(error: unknown, path: string, reason: string): CodedError {
  const options = { cause: error };
  const name = error instanceof Error && 'code' in error ? error.code : undefined;
  if (name === 'ENOSPC' || name === 'EDQUOT')
    return storeErrors.create('PROFILER_STORE_FULL', { path }, options);
  if (name === 'EROFS') return storeErrors.create('PROFILER_STORE_READ_ONLY', { path }, options);
  if (name === 'EACCES' || name === 'EPERM' || name === 'ENOTDIR' || name === 'EEXIST')
    return storeErrors.create('PROFILER_STORE_CANNOT_OPEN', { path, reason }, options);
  return storeErrors.create('PROFILER_STORE_FAILED', { path, reason }, options);
}

/** Extended codes carry the primary one in their lowest byte. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 255 : undefined;
}

/** The shared memory beside a file cannot grow: SQLite says so as an I/O error (SQLITE_IOERR_SHMSIZE). */
function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 4874;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown';
}
