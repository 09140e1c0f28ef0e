import { findSection } from '../collectors/define-part.js';
import { findHeader, type ProfileRecord } from '../model/profile-record.js';
import { callAnchor, type HttpCall, type HttpSection } from '../collectors/outgoing/http-collector.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { from, placeOf, type RecordFinding, targetIn } from './finding.js';
import { findCookieProblems } from './cookie-problems.js';
import type { LateWork } from '../record/late-notes.js';
import { say } from '#phrases';

const largeBytes = 1024 * 1024;
/** Maximum number of failed calls that are reported, and of characters of their URLs and errors. */
const maxCallsShown = 3;
const maxTextLength = 120;
/** Finds problems of the request and the response: what was not awaited, failed calls, a redirect to itself, cookies, a large response. */
export function findInExchange(record: ProfileRecord): readonly RecordFinding[] {
  return [
    ...findFailedCalls(record),
    ...findUnawaitedPromises(record),
    ...findUnawaitedWork(record),
    ...findSelfRedirect(record),
    ...findCookieProblems(record),
    ...findLargeResponse(record),
  ];
}

function findLargeResponse({ response }: ProfileRecord): readonly RecordFinding[] {
  const bytes = response?.bodyBytes ?? 0;
  if (bytes < largeBytes) return [];
  const text = say('The response has {size}', { size: formatBytes(bytes) });
  return [{ level: 'warn', text, target: { panel: 'request' } }];
}

function findUnawaitedPromises(record: ProfileRecord): readonly RecordFinding[] {
  const { promises = [] } =
    findSection<{ readonly promises: readonly string[] }>(record, 'result', ['promises']) ?? {};
  const texts = promises.map((path) =>
    path === ''
      ? 'The promise that was the result was not awaited'
      : say('The promise “{path}” in the result was not awaited', { path }),
  );
  const { content = '' } = record.response?.body ?? {};
  if (texts.length === 0 && content.includes('[object Promise]'))
    texts.push('The response contains “[object Promise]”: a promise was not awaited');
  return texts.map((text) => ({ level: 'warn', text, target: { panel: 'request' } }));
}

const maxWorkShown = 3;

/** Reports calls that had no answer when the response ended, and queries and calls that were filed late. */
function findUnawaitedWork(record: ProfileRecord): readonly RecordFinding[] {
  const { calls } = findSection<HttpSection>(record, 'http', ['calls']) ?? { calls: [] };
  const running = calls.flatMap((call, index): RecordFinding[] => {
    if (!call.isOpen || call.status !== 0 || record.state !== 'complete') return [];
    const text = say('Not awaited: {what} had no answer when the response ended', { what: urlOf(call) });
    return [
      {
        level: 'warn',
        text: text + from(placeOf(call.callSite[0])),
        target: targetIn('http', callAnchor(index)),
      },
    ];
  });
  const { work } = findSection<{ readonly work: readonly LateWork[] }>(record, 'late', ['work']) ?? {
    work: [],
  };
  const late = work.map(({ kind, text, startMs, callSite }): RecordFinding => {
    const what = kind === 'query' ? 'a query' : text.slice(0, maxTextLength);
    const after = startMs - record.durationMs;
    const words =
      after > 0
        ? say('Not awaited: {what} began {time} after the response', {
            what,
            time: formatMilliseconds(after),
          })
        : say('Not awaited: {what} ended after the response', { what });
    return { level: 'warn', text: words + from(placeOf(callSite[0])), target: targetIn('late') };
  });
  return [...running, ...late].slice(0, maxWorkShown);
}

function urlOf({ method, url }: Pick<HttpCall, 'method' | 'url'>): string {
  return `${method} ${url.slice(0, maxTextLength)}`;
}

/** Reports a redirect to the requested URL with the same method, which sets no cookie that could change the answer. */
function findSelfRedirect({ request, response }: ProfileRecord): readonly RecordFinding[] {
  if (response === null || response.cookies.length > 0) return [];
  const { status, headers } = response;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (![301, 302, 303, 307, 308].includes(status) || !(isRead || status === 307 || status === 308)) return [];
  const location = findHeader(headers, 'location') ?? '';
  const base = request.url.split('#', 1)[0] ?? '';
  if (!URL.canParse(location, base)) return [];
  const target = new URL(location, base);
  target.hash = '';
  if (target.href !== new URL(base).href) return [];
  return [{ level: 'warn', text: 'Redirects to itself', target: { panel: 'request' } }];
}

/** Reports outgoing calls that failed or got a 5xx response. A 4xx response can be an expected result. */
function findFailedCalls(record: ProfileRecord): readonly RecordFinding[] {
  const { calls } = findSection<HttpSection>(record, 'http', ['calls']) ?? { calls: [] };
  const found = calls.flatMap((call, index): RecordFinding[] => {
    if (call.error === null && call.status < 500) return [];
    const what = urlOf(call);
    const text =
      call.error === null
        ? say('{what} answered {status}', { what, status: call.status })
        : say('{what} failed: {error}', { what, error: call.error.slice(0, maxTextLength) });
    const place = placeOf(call.callSite?.[0]);
    const target = targetIn('http', callAnchor(index));
    return [{ level: 'warn', text: text + from(place), target, explains: 'failure' }];
  });
  return found.slice(0, maxCallsShown);
}
