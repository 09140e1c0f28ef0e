import { type HttpRequest, renderCookie } from '#core/http';
import type { Recording } from '../../model/recording.js';
import { isPageRequest } from './add-toolbar.js';

const previousCookie = 'lookback_previous';
const cookieSeconds = 20;
const maxCookieLength = 1_000;

export interface OutgoingRedirect {
  readonly status: number;
  readonly location: string | undefined;
}

type RecordName = Pick<Recording, 'token' | 'startedAt'>;
type Field = readonly [name: string, value: string];

/**
 * Returns the header fields that name a response's record, for a client that may open it: token, URL, the time until
 * the response, and the record of the redirect that led to the request. Fields of the same name set by the application
 * remain.
 */
export function recordFields(
  request: HttpRequest,
  redirect: OutgoingRedirect,
  { recording, link }: { readonly recording: RecordName; readonly link: string },
): readonly Field[] {
  return [
    ['X-Debug-Token', recording.token],
    ['X-Debug-Token-Link', link],
    ['Server-Timing', serverTiming(recording)],
    ...joinRedirect(request, redirect, recording.token),
  ];
}

/**
 * Links a redirect's record to that of its target through a cookie with the redirect's token and the target URL. The cookie distinguishes
 * browsers, and the URL distinguishes one browser's windows. `X-Previous-Debug-Token` is the token of the redirect that led to this
 * request.
 */
function joinRedirect(
  request: HttpRequest,
  { status, location }: OutgoingRedirect,
  token: string,
): readonly Field[] {
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  const isNamed = request.headers.get('cookie')?.includes(previousCookie) === true;
  if (!(isRedirect || isNamed) || !isPageRequest(request)) return [];
  const fields: Field[] = [];
  const setCookie = (value: string, options: { readonly path: string; readonly maxAge: number }): void =>
    void fields.push(['Set-Cookie', renderCookie(previousCookie, value, options)]);
  const previous = isNamed ? readPrevious(request) : undefined;
  if (previous !== undefined) {
    fields.push(['X-Previous-Debug-Token', previous]);
    setCookie('', { path: request.basePath + request.rawPath, maxAge: 0 });
  }
  const target = isRedirect ? targetOf(request, location) : undefined;
  if (target !== undefined)
    setCookie(`${token}.${target.target}`, { path: target.path, maxAge: cookieSeconds });
  return fields;
}

function readPrevious(request: HttpRequest): string | undefined {
  const value = request.cookies.get(previousCookie) ?? '';
  const [, token, target] = /^([0-9a-f]{6,32})\.(.*)$/s.exec(value) ?? [];
  return target === request.publicTarget ? token : undefined;
}

/** Returns a redirect's target; undefined if it is on another origin. */
function targetOf(request: HttpRequest, location: string): { path: string; target: string } | undefined {
  try {
    const url = new URL(location, request.origin + request.publicTarget);
    const target = url.pathname + url.search;
    const isOwn =
      url.origin === request.origin && target.length <= maxCookieLength && !/[;,]/.test(url.pathname);
    return isOwn ? { path: url.pathname, target } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the value of `Server-Timing`, which scripts can read for every request, even for the page itself and from the
 * cache.
 */
function serverTiming({ token, startedAt }: RecordName): string {
  const tenths = Math.round((performance.now() - startedAt) * 10);
  const whole = Math.floor(tenths / 10); // integers are converted to text five times as fast
  return `lookback;dur=${whole}.${tenths - whole * 10};desc="${token}"`;
}
