import { HttpResponse } from '#http';
import type { AuthenticationError } from '../authentication/authentication-error.js';

/**
 * The default answer to a login that failed: 401, or 429 with `Retry-After` where there were too many tries, with the
 * JSON body `{"error": message, "reason": reason}`. For `onFailure` of an authenticator, which may answer some failures
 * itself and leave the others to this.
 */
export function failureResponse(error: AuthenticationError): HttpResponse {
  const status = error.reason === 'throttled' ? 429 : 401;
  const response = HttpResponse.json({ error: error.message, reason: error.reason }, { status });
  if (error.retryAfter !== undefined) response.headers.set('Retry-After', String(error.retryAfter));
  return response;
}
