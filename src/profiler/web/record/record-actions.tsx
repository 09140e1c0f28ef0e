import type { VNode } from 'preact';
import { type FormBody, type HttpRequest, HttpResponse } from '#core/http';
import { say } from '#core/phrases';
import { cookiesOfApplication, protectResponse, foreignForm } from '../access/protect-response.js';
import { Missing, getMarkedRecord, getRecord } from './get-record.js';
import { ActionForm } from '../blocks/controls.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { isCodedError } from '#core/coded-error';
import {
  type RepeatableRequest,
  type ReplayAnswer,
  repeatableRequest,
  replayObstacle,
  replayRequest,
} from '../reports/replay.js';
import { isToken } from '../../encoding/token.js';
import { parseQuery } from '../../search/parse-query.js';
import type { ProfileRecord, RecordOrigin } from '../../model/profile-record.js';
import type { Block } from '../../view/block.js';
import { note } from '../../view/make-blocks.js';
import { findSelect, planOf, type QueryPlan } from './query-plan.js';
import { showPanel } from './show-record.js';

/** Runs a form's action after verifying that a page from this origin sent it; otherwise throws `Missing`. */
async function runAction(
  request: HttpRequest,
  act: (form: FormBody) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const form = await request.form().catch(() => undefined);
  const reason = form === undefined ? 'the form cannot be read' : foreignForm(request);
  if (form !== undefined && reason === undefined) return act(form);
  const words = 'Nothing was done: {reason}. Go back to the page, load it again, and submit its form again.';
  throw new Missing(403, 'foreign-form', 'The form was refused', {
    detail: say(words, { reason: reason ?? '' }),
  });
}

export function seeOther(location: string): HttpResponse {
  return protectResponse(new HttpResponse(null, { status: 303, headers: { Location: location } }));
}

function confirmAction(
  { links }: ProfilerSite,
  confirmation: { readonly title: string; readonly text: VNode; readonly back: string },
  form: Parameters<typeof ActionForm>[0],
): HttpResponse {
  const { title, text, back } = confirmation;
  const content = (
    <div class="miss">
      <h1>{title}</h1>
      {text}
      <div class="actions">
        <ActionForm {...form} fields={{ confirmed: '1', ...form.fields }} buttonClass="button primary" />
        <a class="button" href={back}>
          Cancel
        </a>
      </div>
    </div>
  );
  return renderShell(content, { title, links });
}

const maxNote = 2000;

/** `POST /_profiler/{token}/mark`: pins a record, with a note; `remove` unpins it. */
export function markRecord(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const found = await site.reader.find(token);
    const known = found.kind === 'found' ? found.mark : undefined;
    const note = (form.get('note') ?? known?.note ?? '').trim();
    if (note.length > maxNote) throw notSaved(say('Use a note of at most {n} characters.', { n: maxNote }));
    try {
      if ((await site.reader.mark?.(token, form.has('remove') ? null : { note })) !== true)
        throw notSaved('There is no such record.');
    } catch (error) {
      throw isCodedError(error) ? notSaved(`${error.message} ${error.fix ?? ''}`) : error;
    }
    return seeOther(site.links.record(token));
  });
}

function notSaved(detail: string): Missing {
  return new Missing(409, 'not-kept', 'This was not saved', { detail });
}

/** `POST /_profiler/{origin}/purge`: asks for confirmation, then deletes all of the origin's records. */
export function purgeRecords(
  site: ProfilerSite,
  request: HttpRequest,
  origin: RecordOrigin,
): Promise<HttpResponse> {
  const back = site.links.list(origin === 'profiler' ? { own: '1' } : {});
  return runAction(request, async (form) => {
    if (site.reader.purge === undefined)
      throw new Missing(409, 'read-only', 'These records can only be read', {
        detail: 'Nothing was deleted.',
      });
    if (form.has('confirmed')) {
      await site.reader.purge(origin);
      return seeOther(back);
    }
    const title =
      origin === 'app'
        ? 'Delete all records of the application?'
        : 'Delete all records of the profiler’s own requests?';
    const text = (
      <p>
        {await countWords(site, origin)}They are deleted for everyone who uses this store, and cannot be
        restored.
      </p>
    );
    return confirmAction(
      site,
      { title, text, back },
      { action: site.links.purge(origin), label: 'Delete the records' },
    );
  });
}

/** Describes how many records an origin has, and how many are pinned; empty if the store does not know. */
async function countWords({ reader }: ProfilerSite, origin: RecordOrigin): Promise<string> {
  try {
    const countOf = async (query: string): Promise<number> => {
      const { groups } = await reader.totals({ origin, where: parseQuery(query).where, isCountOnly: true });
      return groups.reduce((sum, { count }) => sum + count, 0);
    };
    const [n, pinned] = await Promise.all([countOf(''), countOf('has:pin')]);
    if (n === 0) return '';
    const words = say('{n} record|{n} records', { n });
    return pinned === 0
      ? `${words}, none of them pinned. `
      : say('{words}, {pinned} of them pinned. ', { words, pinned });
  } catch {
    return ''; // a failing store must not prevent the question
  }
}

/**
 * `POST /_profiler/{token}/explain`: one query's plan, identified by index, so that no text from the request reaches a database. With
 * `format=json` only the plan, for programs.
 */
export function explainQuery(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const found = await getMarkedRecord(site, token);
    const index = Number(/^\d{1,4}$/.exec(form.get('query') ?? '')?.[0] ?? NaN);
    const select = findSelect(found.record, index);
    const isForPrograms = form.get('format') === 'json';
    if (select === undefined || site.explainer === undefined) {
      const detail =
        'Only a SELECT that this record has in full, on a database of this process, can be explained.';
      if (isForPrograms) return protectResponse(HttpResponse.json({ detail }, { status: 409 }));
      throw new Missing(409, 'not-explained', 'This query cannot be explained', { detail });
    }
    const plan = await planOf(site.explainer, select);
    if (isForPrograms) return protectResponse(HttpResponse.json(plan));
    return showPanel(site, request, {
      ...found,
      wanted: 'db',
      plan: { query: index, blocks: planBlocks(plan) },
    });
  });
}

function planBlocks({ label, text, remark, failure }: QueryPlan): readonly Block[] {
  if (failure !== null) return [note(`No plan: ${failure}`, 'error')];
  return [
    ...(remark === null ? [] : [note(remark, 'warn')]),
    { kind: 'code', label, text, language: 'text' },
  ];
}

/**
 * `POST /_profiler/{token}/replay`: sends the request again and shows the new record. Asks first unless it is a
 * complete GET or HEAD.
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
      // Sent by default without the confirmation page, otherwise as chosen there.
      cookies: form.has('confirmed') && !form.has('cookies') ? '' : cookies,
      hasCpuProfile,
    });
    if (typeof answer === 'string') throw notReplayable(site, record, answer);
    return recordOfAnswer(site, record, answer);
  });
}

/** Returns this browser's cookies to replace redacted ones; none if the recorded request was for another host. */
function ownCookies(request: HttpRequest, record: ProfileRecord, { missing }: RepeatableRequest): string {
  if (!missing.some((name) => name.toLowerCase() === 'cookie')) return '';
  const host = /^https?:\/\/([^/?#]*)/i.exec(record.request.url)?.[1];
  // Uses the origin, because HTTP/2 requests have no Host.
  return host === new URL(request.origin).host
    ? cookiesOfApplication(request.headers.get('cookie') ?? '')
    : '';
}

function confirmReplay(
  site: ProfilerSite,
  { token }: ProfileRecord,
  sent: {
    readonly again: RepeatableRequest;
    readonly lacking: readonly string[];
    readonly cookies: string;
    readonly hasCpuProfile: boolean;
  },
): HttpResponse {
  const { again, lacking, cookies, hasCpuProfile } = sent;
  const text = (
    <>
      <p>
        <code>
          {again.method} {again.url}
        </code>
      </p>
      <p>This repeats every side effect: writes, mails, payments.</p>
      {again.body !== undefined && (
        <p>{say('Body: {n} character|Body: {n} characters', { n: again.body.content.length })}</p>
      )}
      {lacking.length > 0 && (
        <p>{`Omitted, because the record does not contain it: ${lacking.join(', ')}`}</p>
      )}
    </>
  );
  const children = cookies !== '' && (
    <p>
      <label>
        <input type="checkbox" name="cookies" value="1" checked /> With the cookies of this browser, because
        those in the record were withheld
      </label>
    </p>
  );
  const confirmation = { title: 'Send this request again?', text, back: site.links.record(token) };
  return confirmAction(site, confirmation, {
    action: site.links.action(token, 'replay'),
    label: 'Replay',
    fields: hasCpuProfile ? { profile: 'cpu' } : {},
    children,
  });
}

function recordOfAnswer(
  site: ProfilerSite,
  record: ProfileRecord,
  { token = '', status }: ReplayAnswer,
): HttpResponse {
  if (isToken(token)) return seeOther(site.links.record(token));
  const title = `The response was ${status}, but it names no record`;
  throw new Missing(502, 'replay-unrecorded', title, {
    detail: 'The request was not recorded, or appeared to come from another machine or site.',
    choices: [{ label: 'The record that was sent again', href: site.links.record(record.token) }],
  });
}

function notReplayable(site: ProfilerSite, record: ProfileRecord, reason: string): Missing {
  return new Missing(409, 'not-replayable', 'This request cannot be sent again', {
    detail: `Nothing more was done: ${reason}.`,
    choices: [{ label: 'Its record', href: site.links.record(record.token) }],
  });
}
