import { type CodedError, isCodedError } from '#coded-error';
import { storeErrors } from '../policy/error-codes.js';

/** What went wrong with a server, in our words; by SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
export function toPostgresError(error: unknown, path: string): CodedError {
  if (isCodedError(error)) return error;
  const state = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? reasonOf(error).replace(/\.$/, '').slice(0, 300) : 'unknown';
  return storeErrors.create(codeOf(state, reason), { path, reason }, { cause: error });
}

function codeOf(
  state: string,
  reason: string,
):
  | 'PROFILER_STORE_AWAY'
  | 'PROFILER_STORE_FAILED'
  | 'PROFILER_STORE_FULL'
  | 'PROFILER_STORE_READ_ONLY'
  | 'PROFILER_STORE_REFUSED' {
  if (state === '53100' || state === '53200') return 'PROFILER_STORE_FULL';
  if (state === '25006') return 'PROFILER_STORE_READ_ONLY';
  if (/^(?:28...|3D000|42501)$/.test(state)) return 'PROFILER_STORE_REFUSED';
  if (/^(?:08...|57P..|53300|E[A-Z_]+)$/.test(state)) return 'PROFILER_STORE_AWAY';
  return state === '' && /timeout|terminated|ended|closed/i.test(reason)
    ? 'PROFILER_STORE_AWAY'
    : 'PROFILER_STORE_FAILED';
}

/** An error of several addresses that were tried has its reasons inside. */
function reasonOf(error: Error): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return inner instanceof Error ? inner.message : error.message;
}
