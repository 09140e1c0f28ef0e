import type { FormBody, HttpRequest, HttpResponse } from '#http';
import {
  type RepeatableRequest,
  type ReplayAnswer,
  repeatableRequest,
  replayObstacle,
  replayRequest,
} from '../../api/replay.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { say } from '#phrases';
import { isToken } from '../../record/token.js';
import { Missing, getRecord } from '../lookup/get-record.js';
import { cookiesOfApplication } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { confirmAction, runAction, seeOther } from './record-actions.js';

/**
 * `POST /_profiler/{token}/replay`: sends the recorded request again and redirects to the new record. Complete GET and HEAD
 * requests are sent immediately; others, and those that lack redacted values, after a confirmation page.
 */
export function replayRecord(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const record = await getRecord(site, token);
    const { replay } = site;
    const reason =
      replay === undefined
        ? 'these pages cannot reach the application: open them on its own port'
        : replayObstacle(record);
    if (replay === undefined || reason !== undefined) throw notReplayable(site, record, reason ?? '');
    const again = repeatableRequest(record);
    const hasCpuProfile = form.get('profile') === 'cpu';
    const cookies = ownCookies(request, record, again);
    const isSafe = again.method === 'GET' || again.method === 'HEAD';
    const lacking = again.missing.filter((name) => cookies === '' || name.toLowerCase() !== 'cookie');
    if (!form.has('confirmed') && (!isSafe || lacking.length > 0))
      return confirmReplay(site, record, { again, lacking, cookies, hasCpuProfile });
    const answer = await replayRequest(record, {
      send: (sent) => replay(sent, request),
      mayWrite: true,
      cookies: wantsCookies(form) ? cookies : '',
      hasCpuProfile,
    });
    if (typeof answer === 'string') throw notReplayable(site, record, answer);
    return recordOfAnswer(site, record, answer);
  });
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
  sent: {
    readonly again: RepeatableRequest;
    readonly lacking: readonly string[];
    readonly cookies: string;
    readonly hasCpuProfile: boolean;
  },
): HttpResponse {
  const { again, lacking, cookies } = sent;
  const text = (
    <>
      <p>
        <code>
          {again.method} {again.url}
        </code>
      </p>
      <p>The application does again what it did then: what was written or sent is written or sent again.</p>
      {again.body !== undefined && <p>{say('Body: {n} characters', { n: again.body.content.length })}</p>}
      {lacking.length > 0 && (
        <p>{say('Left out, because the record does not hold it: {names}', { names: lacking.join(', ') })}</p>
      )}
    </>
  );
  return confirmAction(site, {
    title: 'Send this request again?',
    text,
    action: site.links.action(record.token, 'replay'),
    label: 'Replay',
    back: site.links.record(record.token),
    choices: (
      <>
        {sent.hasCpuProfile && <input type="hidden" name="profile" value="cpu" />}
        {cookies !== '' && (
          <p>
            <label>
              <input type="checkbox" name="cookies" value="1" checked /> With the cookies of this browser,
              since those of the record were withheld
            </label>
          </p>
        )}
      </>
    ),
  });
}

function recordOfAnswer(
  site: ProfilerSite,
  record: ProfileRecord,
  { token = '', status }: ReplayAnswer,
): HttpResponse {
  if (isToken(token)) return seeOther(site.links.record(token));
  throw new Missing({
    status: 502,
    kind: 'replay-unrecorded',
    title: say('It was answered with {status}, but no record is known', { status: String(status) }),
    detail:
      'The answer names no record: the request was not recorded, or it looks as if it came from somewhere else.',
    choices: [{ label: 'The record that was sent again', href: site.links.record(record.token) }],
  });
}

function notReplayable(site: ProfilerSite, record: ProfileRecord, reason: string): Missing {
  return new Missing({
    status: 409,
    kind: 'not-replayable',
    title: 'This request cannot be sent again',
    detail: say('Nothing more was done: {reason}.', { reason }),
    choices: [{ label: 'Its record', href: site.links.record(record.token) }],
  });
}
