import { isProxyField } from '#core/http';
import { findSection } from '../define-section.js';
import { type ProfileRecord, type RecordedCookie, findHeader } from '../../model/profile-record.js';
import { findGraphqlError } from '../../model/graphql-facts.js';
import type { DbSection } from '../database/queries.js';
import { queryAnchor } from '../database/section.js';
import type { HeadersSection } from '../headers/section.js';
import { callAnchor } from '../http-client/section.js';
import { formatBytes, formatCount, formatMilliseconds, shorten } from '../../model/formatting.js';
import {
  type Finder,
  type RecordFinding,
  type StepsOf,
  callLocation,
  from,
  ofKind,
  locationTextOf,
  warning,
} from '../finding.js';
import type { LateWork } from '../../encoding/amendments.js';
import { openWorkOf } from './open-work.js';
import { callsOf, maxShown, maxTextLength, nameOf } from '../http-client/findings.js';

const largeBytes = 1024 * 1024;

/**
 * Finders for failures in bodies, empty bodies, work and promises that were not awaited, self-redirects, cookies that browsers drop, and large responses.
 */
export const requestFinders: readonly Finder[] = [
  ofKind('body-failure', findFailureInBody),
  ofKind('empty-body', findEmptyBody),
  ofKind('not-awaited', findUnawaitedPromises),
  ofKind('not-awaited', findUnawaitedWork),
  ofKind('self-redirect', findSelfRedirect),
  ofKind('dropped-cookie', findDroppedCookies),
  ofKind('shared-cookie', findSharedCookie),
  ofKind('cors', findRefusedCredentials),
  ofKind('large-response', findLargeResponse),
  ofKind('unused-rows', findUnusedRows),
  ofKind('language', findOtherLanguage),
];

const maxReason = 120;

/** Reports a success status whose JSON body reports a failure. */
function findFailureInBody(record: ProfileRecord): RecordFinding | undefined {
  const { response } = record;
  if (response === null || response.status < 200 || response.status > 299) return undefined;
  const { body } = response;
  if (body === null || body.cut || body.encoding !== 'text' || !/^\s*\{/.test(body.content)) return undefined;
  if (findGraphqlError(record) !== undefined) return undefined; // has its own finding
  const data: unknown = JSON.parse(body.content);
  if (typeof data !== 'object' || data === null) return undefined;
  const { ok, success, error, errors, message } = data as Readonly<Record<string, unknown>>; // any JSON object
  const hasErrors = Array.isArray(errors) && errors.length > 0;
  const hasError = error !== undefined && error !== null && error !== false && error !== '' && error !== 0;
  const [said] =
    ok === false
      ? ['"ok": false']
      : success === false
        ? ['"success": false']
        : hasError
          ? ['an "error"']
          : hasErrors
            ? ['"errors"']
            : [];
  if (said === undefined) return undefined;
  const reason = [error, message, hasErrors ? errors[0] : undefined].find(
    (one) => typeof one === 'string' && one !== '',
  );
  const why = typeof reason === 'string' ? `: ${shorten(reason, maxReason)}` : '';
  return { ...warning(`Answered ${response.status} with ${said} in its body${why}`), explains: 'failure' };
}

/** Statuses whose responses have a body. */
const withBody: ReadonlySet<number> = new Set([200, 201, 202, 203]);
/** Empty text is no JSON, but it is an empty stream of JSON values. */
const jsonType = /^application\/(?!stream\+json|x-ndjson)(?:[\w.-]{1,100}\+)?json\s*(?:;|$)/i;

/**
 * Reports a success without the body that its media type promises: clients cannot parse it as JSON, and a tab that
 * loads it as a page stays blank. Other empty HTML may be meant, as in responses to htmx.
 */
function findEmptyBody({ request, response, state }: ProfileRecord): RecordFinding | undefined {
  if (response === null || state !== 'complete' || /^(?:HEAD|OPTIONS)$/.test(request.method))
    return undefined;
  const { status, headers, bodyBytes } = response;
  if (!withBody.has(status) || bodyBytes > 0 || (findHeader(headers, 'content-length') ?? '0') !== '0')
    return undefined;
  const type = findHeader(headers, 'content-type') ?? '';
  if (jsonType.test(type)) return warning(`The body is empty, and its type is ${shorten(type, maxReason)}`);
  const isPage = findHeader(request.headers, 'sec-fetch-dest') === 'document';
  return isPage && /^text\/html\s*(?:;|$)/i.test(type) ? warning('The page is empty') : undefined;
}

interface FoundInResult {
  readonly promises: readonly string[];
  readonly lost?: readonly string[];
  readonly nulled?: readonly string[];
}

function findUnawaitedPromises(record: ProfileRecord): readonly RecordFinding[] {
  const {
    promises = [],
    lost = [],
    nulled = [],
  } = findSection<FoundInResult>(record, 'result', ['promises']) ?? {};
  const texts = promises.map((path) =>
    path === ''
      ? 'The promise that was the result was not awaited'
      : `The promise “${path}” in the result was not awaited`,
  );
  if (texts.length === 0 && record.response?.body?.content.includes('[object Promise]') === true)
    texts.push('The response contains “[object Promise]”: was a promise not awaited?');
  texts.push(
    ...lost.map(
      (what) => `JSON sent {} for ${what}${what.startsWith('a promise') ? ': is an await missing?' : ''}`,
    ),
    ...nulled.map((what) => `JSON sent null for ${what}`),
  );
  return texts.map((text) => warning(text));
}

/**
 * Reports work still running when the response was complete, and queries and calls that began afterwards or were
 * recorded late.
 */
function findUnawaitedWork(record: ProfileRecord, stepsOf: StepsOf): readonly RecordFinding[] {
  const running = callsOf(record).flatMap((call, index) => {
    if (!call.isOpen || call.status !== 0 || record.state !== 'complete') return [];
    const text = `Not awaited: ${nameOf(call)} had no answer when the response ended`;
    return [warning(text + from(locationTextOf(call.callSite[0])), 'http', callAnchor(index))];
  });
  const open = openWorkOf(record).map(({ name, callSite, section, anchor }) => {
    const text = `Not awaited: ${name} had not ended when the response ended`;
    return warning(text + from(locationTextOf(callSite[0])), section, anchor);
  });
  const { work = [] } = findSection<{ readonly work: readonly LateWork[] }>(record, 'late', ['work']) ?? {};
  // If the client left, work that still runs may well be awaited.
  const late = (record.state === 'complete' ? work : []).map(({ kind, text, startMs, callSite }) => {
    const what = kind === 'query' ? 'a query' : text.slice(0, maxTextLength);
    const after = startMs - record.durationMs;
    const words = after > 0 ? beganLate(what, after) : `Not awaited: ${what} ended after the response`;
    return warning(words + from(locationTextOf(callSite[0])), 'late');
  });
  return [
    ...running,
    ...(record.state === 'complete' ? open : []),
    ...findOrphans(record, stepsOf),
    ...late,
  ].slice(0, maxShown);
}

function beganLate(what: string, afterMs: number): string {
  return `Not awaited: ${what} began ${formatMilliseconds(afterMs)} after the response`;
}

/**
 * Finds queries and calls that began after everything that could await them had ended, but finished before the last
 * byte was sent.
 */
function findOrphans(record: ProfileRecord, stepsOf: StepsOf): readonly RecordFinding[] {
  const { response, timeline } = record;
  const finish = timeline.find(({ name, category }) => category === 'stage' && name === 'finish_request');
  const { writes } = findSection<HeadersSection>(record, 'headers', ['writes']) ?? {};
  const isStated = writes?.some(({ name }) => name.toLowerCase() === 'content-length') ?? true;
  const isSent = findHeader(response?.headers ?? [], 'content-length') !== undefined;
  if (finish === undefined || isStated || !isSent) return [];
  const end = finish.startMs + finish.durationMs;
  const steps = timeline.filter(({ category }) => category === 'stage' || category === 'listener');
  return timeline.flatMap((step) => {
    const { name, category, section, anchor, startMs: at } = step;
    const what =
      category === 'database' ? 'a query' : category === 'http' ? name.slice(0, maxTextLength) : '';
    const isAwaited = steps.some(({ startMs, durationMs }) => startMs <= at && at <= startMs + durationMs);
    if (what === '' || at < end || isAwaited) return [];
    return [warning(beganLate(what, at - end) + from(callLocation(record, step, stepsOf)), section, anchor)];
  });
}

/**
 * Reports a redirect to the requested URL with the same method, unless it sets a cookie that could change the response.
 */
function findSelfRedirect({ request, response }: ProfileRecord): RecordFinding | undefined {
  if (response === null || response.cookies.length > 0) return undefined;
  const { status, headers } = response;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!(isRead ? [301, 302, 303, 307, 308] : [307, 308]).includes(status)) return undefined;
  const location = findHeader(headers, 'location') ?? '';
  const base = request.url.split('#', 1)[0] ?? '';
  if (!URL.canParse(location, base)) return undefined;
  const target = new URL(location, base);
  target.hash = '';
  return target.href === new URL(base).href ? warning('Redirects to itself') : undefined;
}

function findLargeResponse({ response }: ProfileRecord): RecordFinding | undefined {
  const bytes = response?.bodyBytes ?? 0;
  return bytes < largeBytes ? undefined : warning(`The response has ${formatBytes(bytes)}`);
}

const manyRows = 500;

/** Reports a query that returned more rows than the response has bytes: most rows were not needed. */
function findUnusedRows(record: ProfileRecord): RecordFinding | undefined {
  const { request, response, state } = record;
  if (request.method !== 'GET' || response === null || state !== 'complete') return undefined;
  const isRead = response.status === 200 && findHeader(response.headers, 'content-encoding') === undefined;
  const { queries = [] } = findSection<DbSection>(record, 'db', ['queries']) ?? {};
  const index = queries.findIndex(
    ({ rows, sql }) => (rows ?? 0) >= manyRows && /^\s*(?:select|with)\b/i.test(sql),
  );
  const { rows = 0, callSite = [] } = queries[index] ?? {};
  if (!isRead || rows === null || rows <= response.bodyBytes) return undefined;
  const text = `1 query returned ${formatCount(rows)} rows for a response of ${formatBytes(response.bodyBytes)}`;
  const location = from(locationTextOf(callSite[0]));
  return { ...warning(text + location, 'db', queryAnchor(index)), level: 'info' };
}

/** Reports a response in a language that the client did not accept, if both languages are given. */
function findOtherLanguage({ request, response }: ProfileRecord): RecordFinding | undefined {
  const accepted = findHeader(request.headers, 'accept-language') ?? '';
  const given = findHeader(response?.headers ?? [], 'content-language') ?? '';
  const wanted = accepted
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !/;\s*q=0(?:\.0*)?$/.test(one))
    .map((one) => one.replace(/;.*$/s, '').trim());
  const primary = (tag: string): string => tag.trim().toLowerCase().split('-', 1)[0] ?? '';
  if (given === '' || given.includes(',') || wanted.length === 0 || wanted.includes('*')) return undefined;
  if (wanted.some((one) => primary(one) === primary(given))) return undefined;
  const text = `The response is in ${shorten(given, maxLanguage)}; the client accepts ${shorten(wanted.join(', '), maxReason)}`;
  return { ...warning(text), level: 'info' };
}

const maxLanguage = 40;

/** Reports response cookies that browsers drop, with the RFC 6265bis rule that they break. */
function findDroppedCookies({ request, response }: ProfileRecord): readonly RecordFinding[] {
  const { url, scheme, headers, clientAddress, peer } = request;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  // Behind an untrusted proxy, the URL used by the browser is unknown.
  const isKnown = clientAddress !== peer.address || !headers.some(([name]) => isProxyField(name));
  return (response?.cookies ?? []).flatMap((cookie) => {
    const why = problemOf(cookie, { host, isSecure: scheme === 'https', isKnown });
    if (why === undefined) return [];
    return [warning(`Browsers drop the cookie “${cookie.name}”: ${why}`)];
  });
}

/** Reports a cookie in a response that shared caches may store, and send to other clients. */
function findSharedCookie({ request, response }: ProfileRecord): RecordFinding | undefined {
  const [cookie] = response?.cookies ?? [];
  const control = findHeader(response?.headers ?? [], 'cache-control') ?? '';
  if (cookie === undefined || !['GET', 'HEAD'].includes(request.method)) return undefined;
  if (!/\b(?:public|s-maxage=[1-9])/i.test(control) || /\b(?:private|no-store|no-cache)\b/i.test(control))
    return undefined;
  return warning(
    `Shared caches may store the cookie “${cookie.name}”: Cache-Control is ${shorten(control, maxReason)}`,
  );
}

/** Reports permission for requests with credentials that browsers do not honour, by the Fetch standard. */
function findRefusedCredentials({ response }: ProfileRecord): RecordFinding | undefined {
  const headers = response?.headers ?? [];
  const isRefused =
    findHeader(headers, 'access-control-allow-origin')?.trim() === '*' &&
    findHeader(headers, 'access-control-allow-credentials')?.trim() === 'true';
  return isRefused
    ? warning('Browsers refuse this response to requests with credentials: Access-Control-Allow-Origin is *')
    : undefined;
}

interface BrowserAddress {
  readonly host: string;
  readonly isSecure: boolean;
  /** Whether the browser used this host and scheme. */
  readonly isKnown: boolean;
}

function problemOf(
  { name, attributes }: RecordedCookie,
  { host, isSecure, isKnown }: BrowserAddress,
): string | undefined {
  const given = new Map(attributes.map(([key, value]) => [key.toLowerCase(), value]));
  const hasSecure = given.has('secure');
  const domain = given.get('domain')?.replace(/^\./, '').toLowerCase() ?? '';
  // Browsers treat the local machine as secure.
  const isLocal = host === 'localhost' || host.endsWith('.localhost') || /^(?:127\.|\[::1\])/.test(host);
  if (isKnown && hasSecure && !isSecure && !isLocal) return 'it is Secure, and the request came over http';
  if (given.get('samesite')?.toLowerCase() === 'none' && !hasSecure) return 'SameSite=None needs Secure';
  if (isKnown && domain !== '' && host !== domain && !host.endsWith(`.${domain}`))
    return `its Domain ${domain} does not match ${host}`;
  if (/^__(?:host|secure)-/i.test(name) && !hasSecure) return 'its prefix needs Secure';
  if (/^__host-/i.test(name) && (domain !== '' || given.get('path') !== '/'))
    return 'its prefix __Host- needs Path=/ and no Domain';
  if (given.has('partitioned') && !hasSecure) return 'Partitioned needs Secure';
  return undefined;
}
