import { findData } from '#dump';
import { isHttpError } from '#errors';

/**
 * Whether an error says no more than that the client has gone away: what the request's signal was aborted with, or the
 * `AbortError` that functions of the platform reject with when they were given it. An `HttpError` says more: it is an answer.
 */
export function isClientGone(error: unknown, request: { readonly signal: AbortSignal | undefined }): boolean {
  if (isHttpError(error)) return false; // a miss, say: reading the signal would make one, which takes longer than the answer
  const { signal } = request;
  if (signal?.aborted !== true) return false;
  if (error === signal.reason) return true;
  return typeof error === 'object' && error !== null && findData(error, 'name') === 'AbortError';
}
