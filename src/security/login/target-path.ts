import type { HttpRequest, HttpResponse } from '#http';

const targetCookie = 'login_target';
const maxPathLength = 2000;
const cookieSeconds = 900;

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
 * Remembers where a stranger wanted to go, in a cookie: no session begins for somebody who never logs in. `given`: where the
 * first step of the login was asked to lead, null for nowhere; else it is the page that was asked for.
 */
export function rememberTarget(request: HttpRequest, response: HttpResponse, given?: string | null): void {
  if (given === null || (given === undefined && !isNavigation(request))) return;
  const asked = given ?? request.rawPath + (request.rawQuery === '' ? '' : `?${request.rawQuery}`);
  const target = parseTargetPath(asked);
  if (target !== undefined)
    response.setCookie(cookieName(request), target, attributes(request, cookieSeconds));
}

/** Where the stranger wanted to go; whoever set the cookie, it stays on this site. */
export function findTarget(request: HttpRequest): string | undefined {
  return parseTargetPath(request.cookies.get(cookieName(request)));
}

export function forgetTarget(request: HttpRequest, response: HttpResponse): void {
  if (!request.cookies.has(cookieName(request))) return;
  response.clearCookie(cookieName(request), attributes(request, 0));
}

/** A page that a person asked for: scripts and frames should not decide where the login leads. */
function isNavigation({ method, headers }: HttpRequest): boolean {
  if (method !== 'GET' || headers.get('x-requested-with') === 'XMLHttpRequest') return false;
  const mode = headers.get('sec-fetch-mode');
  return mode === undefined || mode === 'navigate';
}

function cookieName(request: HttpRequest): string {
  return request.scheme === 'https' ? `__Host-${targetCookie}` : targetCookie;
}

function attributes(request: HttpRequest, maxAge: number): { secure: boolean; maxAge: number } {
  return { secure: request.scheme === 'https', maxAge };
}
