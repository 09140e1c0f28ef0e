import type { VNode } from 'preact';
import { type FormBody, type HttpRequest, HttpResponse } from '#http';
import { say } from '#phrases';
import { protectResponse, foreignForm } from '../access/protect-response.js';
import { Missing, getMarkedRecord } from '../lookup/get-record.js';
import { ActionForm } from '../blocks/controls.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { missStyles } from '../styles/profiler-styles.js';
import { isCodedError } from '#coded-error';
import type { RecordMark } from '../../model/record-lookup.js';
import type { RecordBucket } from '../../model/profile-record.js';
import { findSection } from '../../collectors/define-part.js';
import { messageOf } from '../../collectors/message-reader.js';
import type { DbSection } from '../../collectors/db-section.js';
import type { Block } from '../../panels/blocks/block.js';
import { note } from '../../panels/blocks/make-blocks.js';
import { type RecordedSelect, readSelect } from '../../panels/sql/read-select.js';
import { showPanel } from '../record/show-record.js';

/** Runs the action of a form after verifying that a page of this origin sent it; otherwise throws `Missing`. */
export async function runAction(
  request: HttpRequest,
  act: (form: FormBody) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const form = await request.form().catch(() => undefined);
  const reason = form === undefined ? 'it is no form that can be read' : foreignForm(request);
  if (form !== undefined && reason === undefined) return act(form);
  const detail = say(
    'Nothing was done: {reason}. Go back to the page, load it again, and submit its form again.',
    { reason: reason ?? '' },
  );
  throw new Missing({ status: 403, kind: 'foreign-form', title: 'The form was refused', detail });
}

/** Redirects to a profiler page with 303. */
export function seeOther(location: string): HttpResponse {
  return protectResponse(new HttpResponse(null, { status: 303, headers: { Location: location } }));
}

/** Renders the confirmation page of an action. */
export function confirmAction(
  site: ProfilerSite,
  confirmation: {
    readonly title: string;
    readonly text: VNode;
    readonly action: string;
    readonly label: string;
    readonly back: string;
    readonly choices?: VNode;
  },
): HttpResponse {
  const content = (
    <div class="miss">
      <h1>{confirmation.title}</h1>
      {confirmation.text}
      <div class="actions">
        <ActionForm
          action={confirmation.action}
          label={confirmation.label}
          fields={{ confirmed: '1' }}
          buttonClass="button primary"
        >
          {confirmation.choices}
        </ActionForm>
        <a class="button" href={confirmation.back}>
          Cancel
        </a>
      </div>
    </div>
  );
  return renderShell(content, {
    title: confirmation.title,
    links: site.links,
    styles: [missStyles],
  });
}

const maxNote = 2000;

/** `POST /_profiler/{token}/mark`: pins a record, with a note; `remove` unpins it. */
export function markRecord(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const mark = async (mark: RecordMark | null): Promise<HttpResponse> => {
      try {
        if ((await site.reader.mark?.(token, mark)) !== true) throw notSaved('There is no such record.');
      } catch (error) {
        throw isCodedError(error) ? notSaved(`${error.message} ${error.fix ?? ''}`) : error;
      }
      return seeOther(site.links.record(token));
    };
    if (form.has('remove')) return mark(null);
    const found = await site.reader.find(token);
    const known = found.kind === 'found' ? found.mark : undefined;
    const note = (form.get('note') ?? known?.note ?? '').trim();
    if (note.length > maxNote) throw notSaved(say('Use a note of at most {n} characters.', { n: maxNote }));
    return mark({ note });
  });
}

function notSaved(detail: string): Missing {
  return new Missing({ status: 409, kind: 'not-kept', title: 'This was not kept', detail });
}

/** `POST /_profiler/{bucket}/purge`: asks for confirmation first, then deletes all records of the bucket. */
export function purgeRecords(
  site: ProfilerSite,
  request: HttpRequest,
  bucket: RecordBucket,
): Promise<HttpResponse> {
  const back = site.links.list(bucket === 'profiler' ? { own: '1' } : {});
  return runAction(request, async (form) => {
    if (site.reader.purge === undefined)
      throw new Missing({
        status: 409,
        kind: 'read-only',
        title: 'These records can only be read',
        detail: 'Nothing was deleted.',
      });
    if (form.has('confirmed')) {
      await site.reader.purge(bucket);
      return seeOther(back);
    }
    const words =
      bucket === 'app'
        ? 'Delete all records of the application?'
        : 'Delete all records of the profiler’s own requests?';
    return confirmAction(site, {
      title: words,
      text: <p>They are deleted for everyone who uses this store, and cannot be restored.</p>,
      action: site.links.purge(bucket),
      label: 'Delete the records',
      back,
    });
  });
}

/**
 * `POST /_profiler/{token}/explain`: shows the database panel with the plan of one query, which the form names by its index.
 * No text from the request itself reaches a database.
 */
export function explainQuery(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const found = await getMarkedRecord(site, token);
    const index = Number(/^\d{1,4}$/.exec(form.get('query') ?? '')?.[0] ?? NaN);
    const query = findSection<DbSection>(found.record, 'db', ['queries'])?.queries[index];
    const select = query === undefined ? undefined : readSelect(query);
    if (query === undefined || select === undefined || site.explainer === undefined)
      throw new Missing({
        status: 409,
        kind: 'not-explained',
        title: 'This query cannot be explained',
        detail: 'Only a SELECT of this record can be, that was kept whole, on a database of this process.',
      });
    const blocks = await planOf(site.explainer, query.connection, select);
    return showPanel(site, request, { ...found, wanted: 'db', plan: { query: index, blocks } });
  });
}

async function planOf(
  explainer: NonNullable<ProfilerSite['explainer']>,
  connection: string,
  select: RecordedSelect,
): Promise<readonly Block[]> {
  try {
    const { text, placeholders } = await explainer.explain({ connection, ...select });
    const label = {
      values: 'Plan',
      any: 'Plan for any values: not all recorded values are known',
      null: 'Plan with NULL in place of the values: not all of them are known',
    }[placeholders];
    return [{ kind: 'code', label, text, language: 'text' }];
  } catch (error) {
    const reason = isCodedError(error) ? `${error.message} ${error.fix ?? ''}` : messageOf(error);
    return [note(say('No plan: {reason}', { reason }), 'error')];
  }
}
