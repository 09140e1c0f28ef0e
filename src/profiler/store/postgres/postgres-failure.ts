import { type CodedError, isCodedError } from '#coded-error';
import { type ServerProblem, storeErrors } from '../policy/error-codes.js';

/** What went wrong with a server, in our words; by SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
export function toPostgresError(error: unknown, path: string): CodedError {
  if (isCodedError(error)) return error;
  const reason = error instanceof Error ? reasonOf(error).replace(/\.$/, '').slice(0, 300) : 'unknown';
  return storeErrors.create(codeOf(stateOf(error), reason), { path, reason }, { cause: error });
}

/** SQLSTATE of what a server said, also where it is the cause of our own error. */
export function sqlState(error: unknown): string {
  return stateOf(isCodedError(error) ? error.cause : error);
}

function stateOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function codeOf(state: string, reason: string): ServerProblem {
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
