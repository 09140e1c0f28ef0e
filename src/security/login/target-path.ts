import { type ClientProblem, statusText } from '#errors';
import { type HttpRequest, HttpResponse, locationOf } from '#http';
import type { AuthenticationError } from '../authentication/authenticator.js';
import { HostCookie } from '../secrets/signed-cookies.js';

const targetCookie = new HostCookie('login_target', { maxAge: 900 });
const maxPathLength = 2000;

/** A path, or a function of the request, which follows its language for example. */
export type PathOf = string | ((request: HttpRequest) => string);

export function pathFor(path: PathOf, request: HttpRequest): string {
  return typeof path === 'string' ? path : path(request);
}

/**
 * Returns the path if it stays on this site: `/a?b=c`. Returns undefined for `//host`, `/\host`, anything that a browser
 * would normalise to one of these, and everything else.
 */
export function parseTargetPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxPathLength) return undefined;
  // Only visible ASCII, because browsers remove tabs and line breaks. No backslash before the query, where browsers treat
  // it as a slash.
  return /^\/(?![/\\])[\x21-\x3e\x40-\x5b\x5d-\x7e]*(?:\?[\x21-\x7e]*)?$/.test(text) ? text : undefined;
}

/** Redirects to a step of the login and keeps the requested page in a cookie: visitors who never log in need no session. */
export function redirectToLogin(request: HttpRequest, path: string): HttpResponse {
  const response = HttpResponse.redirect(path);
  const page = locationOf(request.rawPath, request.rawQuery);
  const target = isNavigation(request) ? parseTargetPath(page) : undefined;
  if (target !== undefined) response.headers.append('Set-Cookie', targetCookie.render(request, target));
  return response;
}

/** Redirects back to a step of the login, with the reason as query parameter `error` (see `failureMessage`). */
export function redirectToFailure(
  request: HttpRequest,
  back: PathOf,
  { reason }: AuthenticationError,
): HttpResponse {
  const path = pathFor(back, request);
  return HttpResponse.redirect(`${path}${path.includes('?') ? '&' : '?'}error=${reason}`);
}

/** Redirects to the target of the login, else to that of the cookie, which may be forged: only to paths of this site. */
export function redirectToTarget(
  request: HttpRequest,
  target: string | undefined,
  otherwise: PathOf,
): HttpResponse {
  const stored = targetCookie.read(request);
  const path = target ?? parseTargetPath(stored) ?? pathFor(otherwise, request);
  const response = HttpResponse.redirect(path);
  if (stored !== undefined) response.headers.append('Set-Cookie', targetCookie.renderRemoval(request));
  return response;
}

/** Returns whether the request opens a page: requests of scripts and frames must not become the target of the login. */
function isNavigation({ method, headers }: HttpRequest): boolean {
  if (method !== 'GET' || headers.get('x-requested-with') === 'XMLHttpRequest') return false;
  const mode = headers.get('sec-fetch-mode');
  return mode === undefined || mode === 'navigate';
}

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
