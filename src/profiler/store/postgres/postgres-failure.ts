import { type CodedError, isCodedError } from '#coded-error';
import { type StoreProblem, toStoreError } from '../policy/error-codes.js';

/** What went wrong with a server, in our words; by SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
export function toPostgresError(error: unknown, path: string): CodedError {
  return toStoreError(error, path, problemOf);
}

/** SQLSTATE of what a server said, also where it is the cause of our own error. */
export function sqlState(error: unknown): string {
  const said = isCodedError(error) ? error.cause : error;
  return said instanceof Error && 'code' in said ? String(said.code) : '';
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
