import { callable, either, type OptionType, text } from '#core/options';
import { type ClientProblem, statusText } from '#core/errors';
import { type HttpRequest, HttpResponse, locationOf, type RequestUser } from '#core/http';
import type { AuthenticationError, SecurityToken } from '../authentication/authenticator.js';
import { wantsJson } from '../requests/request-conditions.js';
import { HostCookie } from '../secrets/signed-cookies.js';

const targetCookie = new HostCookie('login_target', { maxAge: 900 });
const maxPathLength = 2000;

/** A path, or a function that gets the request, for example to follow its language. */
export type PathOf = string | ((request: HttpRequest) => string);

/** The type of options that are a path. */
export const targetPath: OptionType<PathOf> = either(text, callable<(request: HttpRequest) => string>());

export function pathFor(path: PathOf, request: HttpRequest): string {
  return typeof path === 'string' ? path : path(request);
}

/**
 * Returns the URL at which a browser finds one of the application's paths: below the base path. Other URLs are returned
 * unchanged.
 */
export function locationFor(path: PathOf, request: HttpRequest): string {
  const target = pathFor(path, request);
  return target.startsWith('/') ? request.basePath + target : target;
}

/**
 * Returns the path if it stays on this site: `/a?b=c`. Returns undefined for `//host`, `/\host`, anything that a
 * browser would normalise to one of these, and everything else.
 */
export function parseTargetPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxPathLength) return undefined;
  // Only visible ASCII, because browsers remove tabs and line breaks. No backslash before the query, where browsers treat
  // it as a slash.
  return /^\/(?![/\\])[\x21-\x3e\x40-\x5b\x5d-\x7e]*(?:\?[\x21-\x7e]*)?$/.test(text) ? text : undefined;
}

/** Redirects to a step of the login and keeps the requested page in a cookie: visitors who never log in need no session. */
export function redirectToLogin(request: HttpRequest, path: string): HttpResponse {
  const response = HttpResponse.redirect(locationFor(path, request));
  const page = locationOf(request.basePath + request.rawPath, request.rawQuery);
  const target = isNavigation(request) ? parseTargetPath(page) : undefined;
  if (target !== undefined) response.headers.append('Set-Cookie', targetCookie.render(request, target));
  return response;
}

/**
 * Answers a failed interactive login: redirects back to one of its steps, with the reason as query parameter `error`
 * (see `failureMessage`). A client that wants JSON gets `failureResponse` instead.
 */
export function answerFailure(request: HttpRequest, back: PathOf, error: AuthenticationError): HttpResponse {
  if (wantsJson(request)) return failureResponse(error);
  const path = locationFor(back, request);
  return HttpResponse.redirect(`${path}${path.includes('?') ? '&' : '?'}error=${error.reason}`);
}

/** Possible targets after a login. */
interface LoginTargets {
  /** Target given by the login itself. */
  readonly target: string | undefined;
  readonly otherwise: PathOf;
}

/**
 * Answers an interactive login: redirects to its target, otherwise to the target in the cookie, which may be forged:
 * only paths on this site are accepted. A client that wants JSON gets the user instead.
 */
export function answerSuccess(
  request: HttpRequest,
  { user }: SecurityToken,
  { target, otherwise }: LoginTargets,
): HttpResponse {
  const stored = targetCookie.read(request);
  const response = wantsJson(request)
    ? userResponse(user)
    : HttpResponse.redirect(target ?? parseTargetPath(stored) ?? locationFor(otherwise, request));
  if (stored !== undefined) response.headers.append('Set-Cookie', targetCookie.renderRemoval(request));
  return response;
}

/** Returns whether the request opens a page: requests by scripts and frames must not become the login's target. */
function isNavigation({ method, headers }: HttpRequest): boolean {
  if (method !== 'GET' || headers.get('x-requested-with') === 'XMLHttpRequest') return false;
  const mode = headers.get('sec-fetch-mode');
  return mode === undefined || mode === 'navigate';
}

/** Creates the response to a script's login: `{"user": {"identifier", "roles"}}`. */
export function userResponse({ identifier, roles }: RequestUser): HttpResponse {
  return HttpResponse.json({ user: { identifier, roles } }, { headers: { 'Cache-Control': 'no-store' } });
}

const failureStatuses: Readonly<Partial<Record<AuthenticationError['reason'], number>>> = {
  malformed: 400,
  csrf: 403,
  throttled: 429,
};

/**
 * Creates the default response to a script's failed login: 401; 400 for incomplete data, 403 for another site's page,
 * 429 with `Retry-After` after too many attempts. It is a problem document (RFC 9457) with the message as `detail` and
 * the reason as `code`. An `onFailure` function can return it for failures that it does not answer itself.
 */
export function failureResponse(error: AuthenticationError): HttpResponse {
  const status = failureStatuses[error.reason] ?? 401;
  const { message: detail, reason: code } = error;
  const problem: ClientProblem = { type: 'about:blank', title: statusText(status), status, detail, code };
  const headers = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' };
  const response = HttpResponse.json(problem, { status, headers });
  if (error.retryAfter !== undefined) response.headers.set('Retry-After', String(error.retryAfter));
  return response;
}
