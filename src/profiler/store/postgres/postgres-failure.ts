import { type CodedError, isCodedError } from '#coded-error';
import { type StoreProblem, toStoreError } from '../policy/error-codes.js';

/**
 * Converts an error of the server or its client to a coded error, by SQLSTATE
 * (postgresql.org/docs/current/errcodes-appendix.html).
 */
export function toPostgresError(error: unknown, path: string): CodedError {
  return toStoreError(error, path, problemOf);
}

/**
 * Returns the SQLSTATE of a server error, or of the server error that caused a coded error; otherwise an empty string.
 */
export function sqlState(error: unknown): string {
  const original = isCodedError(error) ? error.cause : error;
  return original instanceof Error && 'code' in original ? String(original.code) : '';
}

function problemOf(error: unknown, reason: string): StoreProblem {
  const state = sqlState(error);
  if (state === '53100' || state === '53200') return 'PROFILER_STORE_FULL';
  if (state === '25006') return 'PROFILER_STORE_READ_ONLY';
  if (/^(?:28...|3D000|42501)$/.test(state)) return 'PROFILER_STORE_REFUSED';
  if (/^(?:08...|57P..|53300|E[A-Z_]+)$/.test(state)) return 'PROFILER_STORE_AWAY';
  return state === '' && /timeout|terminated|ended|closed/i.test(reason)
    ? 'PROFILER_STORE_AWAY'
    : 'PROFILER_STORE_FAILED';
}
