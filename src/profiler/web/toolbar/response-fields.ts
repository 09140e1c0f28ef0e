import { type HttpRequest, renderCookie } from '#http';
import type { Recording } from '../../model/recording.js';
import { isPageRequest } from './add-toolbar.js';

export { addToolbar } from './add-toolbar.js';

const previousCookie = 'lookback_previous';
const cookieSeconds = 20;
const maxCookieLength = 1_000;

/** An answer that is about to leave, as far as redirects go. */
export interface LeavingRedirect {
  readonly status: number;
  readonly location: string | undefined;
}

export interface JoinedRedirect {
  readonly previous: string | undefined;
  readonly cookies: readonly string[];
}

const nothingJoined: JoinedRedirect = { previous: undefined, cookies: [] };

/**
 * What joins the records of a redirect and of the page that it leads to: a cookie for that page alone, which names the
 * record and the address. It belongs to one browser, so that two never mix, and to one address, so that two windows of it do
 * not. `previous` is the record that led here; `cookies` are Set-Cookie values.
 */
export function joinRedirect(
  request: HttpRequest,
  { status, location }: LeavingRedirect,
  token: string,
): JoinedRedirect {
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  const isNamed = request.headers.get('cookie')?.includes(previousCookie) === true;
  if (!(isRedirect || isNamed) || !isPageRequest(request)) return nothingJoined;
  const cookies: string[] = [];
  const previous = isNamed ? readPrevious(request) : undefined;
  if (previous !== undefined)
    cookies.push(renderCookie(previousCookie, '', { path: request.rawPath, maxAge: 0 }));
  const target = isRedirect ? targetOf(request, location) : undefined;
  if (target !== undefined)
    cookies.push(
      renderCookie(previousCookie, `${token}.${target.target}`, { path: target.path, maxAge: cookieSeconds }),
    );
  return { previous, cookies };
}

function readPrevious(request: HttpRequest): string | undefined {
  const value = request.cookies.get(previousCookie) ?? '';
  const [, token, target] = /^([0-9a-f]{6,32})\.(.*)$/s.exec(value) ?? [];
  return target === request.source.target ? token : undefined;
}

/** Where a redirect leads, on this site only. */
function targetOf(request: HttpRequest, location: string): { path: string; target: string } | undefined {
  try {
    const url = new URL(location, request.origin + request.source.target);
    const target = url.pathname + url.search;
    const isOwn =
      url.origin === request.origin && target.length <= maxCookieLength && !/[;,]/.test(url.pathname);
    return isOwn ? { path: url.pathname, target } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Value of `Server-Timing` (W3C Server Timing): the time from the request to its answer, with the token. A page's
 * scripts can read it for every request, including that of the page itself, even if it came from the browser's cache.
 */
export function serverTiming({ token, startedAt }: Pick<Recording, 'token' | 'startedAt'>): string {
  return `lookback;dur=${(performance.now() - startedAt).toFixed(1)};desc="${token}"`;
}
