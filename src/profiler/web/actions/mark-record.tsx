import { isCodedError } from '#coded-error';
import type { FormBody, HttpRequest, HttpResponse } from '#http';
import type { RecordMarks } from '../../model/record-marks.js';
import { say } from '../../words/say.js';
import { Missing } from '../lookup/missing.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { runAction, seeOther } from './run-action.js';

const maxTags = 10;
const maxNote = 2000;
const tagPattern = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,39}$/u;
const maxName = 60;
const maxQuery = 4000;

/** `POST /_profiler/{token}/mark`: pins a record, with tags and a note; `remove` unpins it. */
export function markRecord(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runMarkAction(site, request, async (marks, form) => {
    if (form.has('remove')) await marks.set(token, null);
    else {
      const known = await marks.of(token);
      const tags =
        form
          .get('tags')
          ?.toLowerCase()
          .split(/[\s,]+/) ??
        known?.tags ??
        [];
      const uniqueTags = [...new Set(tags.filter((tag) => tag !== ''))];
      const note = (form.get('note') ?? known?.note ?? '').trim();
      if (
        uniqueTags.length > maxTags ||
        note.length > maxNote ||
        !uniqueTags.every((tag) => tagPattern.test(tag))
      )
        throw notSaved(
          say('Use {form}.', {
            form: say('at most {tags} tags of letters, digits, _ . and -, and a note of {n} characters', {
              tags: maxTags,
              n: maxNote,
            }),
          }),
        );
      await marks.set(token, { tags: uniqueTags, note });
    }
    return site.links.record(token);
  });
}

/** `POST /_profiler/filters`: saves the filters of a list under a name; `remove` deletes them. */
export function saveFilter(site: ProfilerSite, request: HttpRequest): Promise<HttpResponse> {
  return runMarkAction(site, request, async (marks, form) => {
    const name = (form.get('name') ?? '').trim();
    const query = form.get('query') ?? '';
    if (name === '' || name.length > maxName || query.length > maxQuery)
      throw notSaved(say('Use {form}.', { form: say('a name of 1 to {n} characters', { n: maxName }) }));
    await marks.saveFilter(name, form.has('remove') ? null : query);
    return `${site.links.list()}${query === '' ? '' : `?${query}`}`;
  });
}

function notSaved(detail: string): Missing {
  return new Missing({ status: 409, kind: 'not-kept', title: say('This was not kept'), detail });
}

/** Runs an action on the marks of the store, then redirects to the URL that `work` returns. */
function runMarkAction(
  site: ProfilerSite,
  request: HttpRequest,
  work: (marks: RecordMarks, form: FormBody) => Promise<string>,
): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const { marks } = site.reader;
    if (marks === undefined) throw notSaved(say('This store keeps no notes.'));
    try {
      return seeOther(await work(marks, form));
    } catch (error) {
      throw isCodedError(error) ? notSaved(`${error.message} ${error.fix ?? ''}`) : error;
    }
  });
}
