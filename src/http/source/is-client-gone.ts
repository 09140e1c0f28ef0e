import { findData } from '#dump';
import { isHttpError } from '#errors';

/**
 * Whether an error means only that the client has disconnected: the abort reason of the request's signal, or the
 * `AbortError` with which functions of the platform reject when that signal is aborted. An `HttpError` never does: it
 * is an answer.
 */
export function isClientGone(error: unknown, request: { readonly signal: AbortSignal | undefined }): boolean {
  if (isHttpError(error)) return false; // a miss, say: reading the signal would make one, which takes longer than the answer
  const { signal } = request;
  if (signal?.aborted !== true) return false;
  if (error === signal.reason) return true;
  return typeof error === 'object' && error !== null && findData(error, 'name') === 'AbortError';
}
