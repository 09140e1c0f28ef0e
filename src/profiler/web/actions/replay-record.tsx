import type { FormBody, HttpRequest, HttpResponse } from '#http';
import { type RepeatableRequest, repeatableRequest, toFetchRequest } from '../../api/repeatable-request.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { say } from '../../words/say.js';
import { isToken } from '../../find/is-token.js';
import { getRecord } from '../lookup/get-record.js';
import { Missing } from '../lookup/missing.js';
import { cookiesOfApplication } from '../site/form-token.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { confirmAction, runAction, seeOther } from './run-action.js';

/** Maximum milliseconds and bytes for which a response is read; the record of a longer one is marked as aborted. */
const limits = { ms: 30_000, bytes: 16 * 1024 * 1024 };

/**
 * `POST /_profiler/{token}/replay`: sends the recorded request again and redirects to the new record. Complete GET and HEAD
 * requests are sent immediately; others, and those that lack redacted values, after a confirmation page.
 */
export function replayRecord(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const record = await getRecord(site, request, token);
    const again = withCpuProfile(repeatableRequest(record), form);
    const reason = replayObstacle(site, record, again);
    if (reason !== undefined) throw notReplayable(site, record, reason);
    const cookies = ownCookies(request, record, again);
    const isSafe = again.method === 'GET' || again.method === 'HEAD';
    const lacking = again.missing.filter((name) => cookies === '' || name.toLowerCase() !== 'cookie');
    if (!form.has('confirmed') && (!isSafe || lacking.length > 0))
      return confirmReplay(site, record, { again, lacking, cookies });
    return send(site, request, { record, again, cookies: wantsCookies(form) ? cookies : '' });
  });
}

/** Adds the query parameter for a CPU profile if the form requests one. */
function withCpuProfile(again: RepeatableRequest, form: FormBody): RepeatableRequest {
  if (form.get('profile') !== 'cpu') return again;
  const url = new URL(again.url);
  url.searchParams.set('_profile', 'cpu');
  return { ...again, url: url.href };
}

function replayObstacle(
  site: ProfilerSite,
  record: ProfileRecord,
  again: RepeatableRequest,
): string | undefined {
  if (site.replay === undefined)
    return say('these pages cannot reach the application: open them on its own port');
  if (record.bucket === 'profiler') return say('it is one of the profiler’s own');
  if (!again.isWhole) return say('the record does not hold {names}', { names: again.missing.join(', ') });
  if (again.body !== undefined && (again.method === 'GET' || again.method === 'HEAD'))
    return say('a {method} with a body cannot be sent', { method: again.method });
  return undefined;
}

/** Returns whether to send the browser's cookies: always without the confirmation page, otherwise as chosen there. */
function wantsCookies(form: FormBody): boolean {
  return !form.has('confirmed') || form.has('cookies');
}

/** Returns this browser's cookies as a replacement for redacted ones; none if the recorded request was for another host. */
function ownCookies(request: HttpRequest, record: ProfileRecord, { missing }: RepeatableRequest): string {
  if (!missing.some((name) => name.toLowerCase() === 'cookie')) return '';
  const host = /^https?:\/\/([^/?#]*)/i.exec(record.request.url)?.[1];
  // Uses the origin, since HTTP/2 requests have no Host.
  return host === new URL(request.origin).host
    ? cookiesOfApplication(request.headers.get('cookie') ?? '')
    : '';
}

function confirmReplay(
  site: ProfilerSite,
  record: ProfileRecord,
  sent: { readonly again: RepeatableRequest; readonly lacking: readonly string[]; readonly cookies: string },
): HttpResponse {
  const { again, lacking, cookies } = sent;
  const text = (
    <>
      <p>
        <code>
          {again.method} {again.url}
        </code>
      </p>
      <p>
        {say(
          'The application does again what it did then: what was written or sent is written or sent again.',
        )}
      </p>
      {again.body !== undefined && <p>{say('Body: {n} characters', { n: again.body.content.length })}</p>}
      {lacking.length > 0 && (
        <p>{say('Left out, because the record does not hold it: {names}', { names: lacking.join(', ') })}</p>
      )}
    </>
  );
  return confirmAction(site, {
    title: say('Send this request again?'),
    text,
    action: site.links.replay(record.token),
    label: say('Replay'),
    back: site.links.record(record.token),
    choices: (
      <>
        {new URL(again.url).searchParams.get('_profile') === 'cpu' && (
          <input type="hidden" name="profile" value="cpu" />
        )}
        {cookies !== '' && (
          <p>
            <label>
              <input type="checkbox" name="cookies" value="1" checked />{' '}
              {say('With the cookies of this browser, since those of the record were withheld')}
            </label>
          </p>
        )}
      </>
    ),
  });
}

async function send(
  site: ProfilerSite,
  client: HttpRequest,
  { record, again, cookies }: { record: ProfileRecord; again: RepeatableRequest; cookies: string },
): Promise<HttpResponse> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), limits.ms);
  let response: Response | undefined;
  try {
    const request = toFetchRequest(again, again.url, stop.signal);
    if (cookies !== '') request.headers.set('Cookie', cookies);
    request.headers.set('Lookback-Replay', record.token);
    response = await site.replay?.(request, client);
    await drain(response);
  } catch (error) {
    const words = error instanceof Error ? error.message.slice(0, 300) : say('unknown failure');
    throw notReplayable(site, record, words);
  } finally {
    clearTimeout(timer);
  }
  const token = response?.headers.get('x-debug-token') ?? '';
  if (isToken(token)) return seeOther(site.links.record(token));
  throw new Missing({
    status: 502,
    kind: 'replay-unrecorded',
    title: say('It was answered with {status}, but no record is known', {
      status: String(response?.status ?? 0),
    }),
    detail: say(
      'The answer names no record: the request was not recorded, or it looks as if it came from somewhere else.',
    ),
    choices: [{ label: say('The record that was sent again'), href: site.links.record(record.token) }],
  });
}

/** Reads the response to its end, which completes its record; cancels it beyond the size limit. */
async function drain(response: Response | undefined): Promise<void> {
  let bytes = 0;
  const reader = response?.body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return;
    bytes += next.value.byteLength;
    if (bytes > limits.bytes) return reader?.cancel();
  }
}

function notReplayable(site: ProfilerSite, record: ProfileRecord, reason: string): Missing {
  return new Missing({
    status: 409,
    kind: 'not-replayable',
    title: say('This request cannot be sent again'),
    detail: say('Nothing more was done: {reason}.', { reason }),
    choices: [{ label: say('Its record'), href: site.links.record(record.token) }],
  });
}
