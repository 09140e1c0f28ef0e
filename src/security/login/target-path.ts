import { type HttpRequest, HttpResponse } from '#http';
import type { AuthenticationError } from '../authentication/authentication-error.js';
import { HostCookie } from '../secrets/host-cookie.js';

const targetCookie = new HostCookie('login_target', { maxAge: 900 });
const maxPathLength = 2000;

/**
 * A path to go on to, if it stays on this site: `/a?b=c`, never `//host`, `/\host` or anything that a browser would
 * clean into one. Undefined for all else.
 */
export function parseTargetPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxPathLength) return undefined;
  // Visible ASCII: browsers drop tabs and line ends. They take a backslash for a slash, unless it is in the query.
  return /^\/(?![/\\])[\x21-\x3e\x40-\x5b\x5d-\x7e]*(?:\?[\x21-\x7e]*)?$/.test(text) ? text : undefined;
}

/**
 * Leads to a step of the login, and remembers where the stranger wanted to go, in a cookie: no session begins for someone who
 * never logs in. `given`: where the first step should lead, null for nowhere; else it is the requested page.
 */
export function redirectToLogin(request: HttpRequest, path: string, given?: string | null): HttpResponse {
  const response = HttpResponse.redirect(path);
  if (given === null || (given === undefined && !isNavigation(request))) return response;
  const asked = given ?? request.rawPath + (request.rawQuery === '' ? '' : `?${request.rawQuery}`);
  const target = parseTargetPath(asked);
  if (target !== undefined) response.headers.append('Set-Cookie', targetCookie.render(request, target));
  return response;
}

/** Back to a step of the login, which is given the reason as `error` (see `failureMessage`). */
export function redirectToFailure(path: string, { reason }: AuthenticationError): HttpResponse {
  return HttpResponse.redirect(`${path}${path.includes('?') ? '&' : '?'}error=${reason}`);
}

/** Where a login leads in the end. */
export function redirectToTarget(request: HttpRequest, path: string): HttpResponse {
  const response = HttpResponse.redirect(path);
  if (targetCookie.read(request) !== undefined)
    response.headers.append('Set-Cookie', targetCookie.renderRemoval(request));
  return response;
}

/** Where the stranger wanted to go; whoever set the cookie, it stays on this site. */
export function findTarget(request: HttpRequest): string | undefined {
  return parseTargetPath(targetCookie.read(request));
}

/** A page that a person requested: scripts and frames should not decide where the login leads. */
function isNavigation({ method, headers }: HttpRequest): boolean {
  if (method !== 'GET' || headers.get('x-requested-with') === 'XMLHttpRequest') return false;
  const mode = headers.get('sec-fetch-mode');
  return mode === undefined || mode === 'navigate';
}
