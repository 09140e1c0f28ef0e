import { findData } from '#dump';
import { isHttpError } from '#errors';

/**
 * Whether an error says no more than that the client has gone away: what `signal` was aborted with, or the `AbortError`
 * that functions of the platform reject with when they were given this signal. An `HttpError` says more: it is an answer.
 */
export function isClientGone(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted !== true || isHttpError(error)) return false;
  if (error === signal.reason) return true;
  return typeof error === 'object' && error !== null && findData(error, 'name') === 'AbortError';
}
