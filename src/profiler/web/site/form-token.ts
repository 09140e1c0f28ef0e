import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type HttpRequest, type HttpResponse, renderCookie } from '#http';
import { createScopeKey, currentScope, type ScopeKey } from '#scope';

/** Names of the form field with the CSRF token, and of the cookie that it is compared with. */
export const formTokenField = '_token';
const cookieName = 'lookback_form';
const tokenPattern = /^[A-Za-z0-9_-]{22}$/;

interface FormToken {
  readonly value: string;
  /** Set-Cookie value; undefined if the browser already has the cookie. */
  readonly cookie: string | undefined;
  isShown: boolean;
}

const pageFormToken: ScopeKey<FormToken> = createScopeKey('form token of the profiler’s page');

/**
 * Prepares the CSRF token of a page's forms: 128 random bits in a cookie that requests of other sites do not send and scripts
 * cannot read. The token is not stored on the server, so that any worker can check it.
 */
export function prepareFormToken(request: HttpRequest, prefix: string): void {
  const kept = request.cookies.get(cookieName) ?? '';
  const value = tokenPattern.test(kept) ? kept : randomBytes(16).toString('base64url');
  const cookie =
    value === kept
      ? undefined
      : renderCookie(cookieName, value, {
          path: prefix,
          sameSite: 'Strict',
          secure: request.scheme === 'https',
        });
  request.scope.set(pageFormToken, { value, cookie, isShown: false });
}

/** Returns the CSRF token of the page that is being rendered. */
export function currentFormToken(): string {
  const token = currentScope()?.get(pageFormToken);
  if (token !== undefined) token.isShown = true;
  return token?.value ?? '';
}

/** Adds the cookie to the response if the page has a form and the browser does not have the cookie yet. */
export function addFormCookie(response: HttpResponse): void {
  const token = currentScope()?.get(pageFormToken);
  if (token?.isShown === true && token.cookie !== undefined)
    response.headers.append('Set-Cookie', token.cookie);
}

/**
 * Returns why a form is refused; undefined if a profiler page sent it. Requires a same-origin Origin or Sec-Fetch-Site, which
 * the browser sets, and the same token in field and cookie.
 */
export function foreignForm(request: HttpRequest, given: string | undefined): string | undefined {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin === undefined && site === undefined) return 'the browser did not say which page sent it';
  if ((origin ?? request.origin) !== request.origin || (site ?? 'same-origin') !== 'same-origin')
    return 'a page of another origin sent it';
  const kept = request.cookies.get(cookieName) ?? '';
  if (!tokenPattern.test(kept)) return 'the cookie of the form is missing';
  if (given === undefined || !tokenPattern.test(given)) return 'the token of the form is missing';
  return timingSafeEqual(Buffer.from(kept), Buffer.from(given))
    ? undefined
    : 'the token of the form is not that of this browser';
}

/** Returns the cookies of a request without the profiler's own. */
export function cookiesOfApplication(header: string): string {
  return header
    .split(/;\s*/)
    .filter((pair) => !pair.startsWith('lookback_') && pair !== '')
    .join('; ');
}
