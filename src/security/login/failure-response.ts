import { type ClientProblem, statusText } from '#errors';
import { HttpResponse } from '#http';
import type { AuthenticationError } from '../authentication/authentication-error.js';

/**
 * Creates the default response to a failed login: 401, or 429 with `Retry-After` after too many attempts, as a problem
 * document (RFC 9457) with the message as `detail` and the reason as `code`. An `onFailure` function can return it for the
 * failures that it does not answer itself.
 */
export function failureResponse(error: AuthenticationError): HttpResponse {
  const status = error.reason === 'throttled' ? 429 : 401;
  const { message: detail, reason: code } = error;
  const problem: ClientProblem = { type: 'about:blank', title: statusText(status), status, detail, code };
  const headers = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' };
  const response = HttpResponse.json(problem, { status, headers });
  if (error.retryAfter !== undefined) response.headers.set('Retry-After', String(error.retryAfter));
  return response;
}
