import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { callAnchor, type HttpSection } from '../collectors/outgoing/http-collector.js';
import { findHeader } from '../model/recorded-message.js';
import { formatBytes } from '../words/format.js';
import type { RecordFinding } from './finding.js';
import { say } from '../words/say.js';

const largeBytes = 1024 * 1024;
/** Minimum size of a text response that is worth compressing. */
const compressibleBytes = 100 * 1024;
/** Maximum number of failed calls that are reported, and of characters of their URLs and errors. */
const maxCallsShown = 3;
const maxTextLength = 120;
const textTypePattern =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b|application\/javascript\b|image\/svg)/i;

/** Finds problems of the request and the response: unread body, large or uncompressed response, failed calls. */
export function findInExchange(record: ProfileRecord): readonly RecordFinding[] {
  const { request, response } = record;
  const found: RecordFinding[] = [...findFailedCalls(record), ...findUnawaitedPromises(record)];
  const status = response?.status ?? 0;
  const target = { panel: 'request' };
  const sent = request.body?.bytes ?? Number(findHeader(request.headers, 'content-length') ?? 0);
  const isUnread = request.body === null || request.body.isUnread === true;
  // A refused request is expected to have an unread body.
  if (isUnread && sent > 0 && status >= 200 && status < 400)
    found.push({
      level: 'info',
      text: say('The request body ({size}) was never read', { size: formatBytes(sent) }),
      target,
    });
  if (response === null) return found;
  const { bodyBytes, headers } = response;
  const isPlain = (findHeader(headers, 'content-encoding') ?? 'identity') === 'identity';
  const isLarge = bodyBytes >= largeBytes;
  if (
    isLarge ||
    (isPlain &&
      bodyBytes >= compressibleBytes &&
      textTypePattern.test(findHeader(headers, 'content-type') ?? ''))
  )
    found.push({
      level: isLarge ? 'warn' : 'info',
      text: isPlain
        ? say('The response has {size} and was sent uncompressed', { size: formatBytes(bodyBytes) })
        : say('The response has {size}', { size: formatBytes(bodyBytes) }),
      target,
    });
  return found;
}

function findUnawaitedPromises(record: ProfileRecord): readonly RecordFinding[] {
  const { promises = [] } =
    findSection<{ readonly promises: readonly string[] }>(record, 'result', ['promises']) ?? {};
  return promises.map((path) => ({
    level: 'warn',
    text:
      path === ''
        ? say('The promise that was the result was not awaited')
        : say('The promise “{path}” in the result was not awaited', { path }),
    target: { panel: 'request' },
  }));
}

/** Reports outgoing calls that failed or got a 5xx response. A 4xx response can be an expected result. */
function findFailedCalls(record: ProfileRecord): readonly RecordFinding[] {
  const { calls } = findSection<HttpSection>(record, 'http', ['calls']) ?? { calls: [] };
  const found = calls.flatMap((call, index): RecordFinding[] => {
    if (call.error === null && call.status < 500) return [];
    const what = `${call.method} ${call.url.slice(0, maxTextLength)}`;
    const text =
      call.error === null
        ? say('{what} answered {status}', { what, status: call.status })
        : say('{what} failed: {error}', { what, error: call.error.slice(0, maxTextLength) });
    return [{ level: 'warn', text, target: { panel: 'http', anchor: callAnchor(index) } }];
  });
  return found.slice(0, maxCallsShown);
}
