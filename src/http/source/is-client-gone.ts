import { findData } from '#dump';
import { isHttpError } from '#errors';

/**
 * Whether an error only means that the client has disconnected: it is the abort reason of the request's signal, or the
 * `AbortError` with which platform functions reject after that abort. An `HttpError` never counts: it is an answer.
 */
export function isClientGone(error: unknown, request: { readonly signal: AbortSignal | undefined }): boolean {
  if (isHttpError(error)) return false; // checked first: reading the signal creates it, which takes longer than answering a 404
  const { signal } = request;
  if (signal?.aborted !== true) return false;
  if (error === signal.reason) return true;
  return typeof error === 'object' && error !== null && findData(error, 'name') === 'AbortError';
}
