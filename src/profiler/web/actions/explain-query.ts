import { isCodedError } from '#coded-error';
import type { HttpRequest, HttpResponse } from '#http';
import { findSection } from '../../collectors/find-section.js';
import { messageOf } from '../../collectors/message-reader.js';
import type { DbSection } from '../../collectors/db-section.js';
import type { Block } from '../../panels/blocks/block.js';
import { note } from '../../panels/blocks/make-blocks.js';
import { type RecordedSelect, readSelect } from '../../panels/sql/read-select.js';
import { say } from '../../words/say.js';
import { getRecord } from '../lookup/get-record.js';
import { Missing } from '../lookup/missing.js';
import { showPanel } from '../record/show-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { runAction } from './run-action.js';

/**
 * `POST /_profiler/{token}/explain`: shows the database panel with the plan of one query, which the form names by its index.
 * No text from the request itself reaches a database.
 */
export function explainQuery(site: ProfilerSite, request: HttpRequest, token: string): Promise<HttpResponse> {
  return runAction(request, async (form) => {
    const record = await getRecord(site, request, token);
    const index = Number(/^\d{1,4}$/.exec(form.get('query') ?? '')?.[0] ?? NaN);
    const query = findSection<DbSection>(record, 'db', ['queries'])?.queries[index];
    const select = query === undefined ? undefined : readSelect(query);
    if (query === undefined || select === undefined || site.explainer === undefined)
      throw new Missing({
        status: 409,
        kind: 'not-explained',
        title: say('This query cannot be explained'),
        detail: say(
          'Only a SELECT of this record can be, that was kept whole, on a database of this process.',
        ),
      });
    const blocks = await planOf(site.explainer, query.connection, select);
    return showPanel(site, request, { record, wanted: 'db', plan: { query: index, blocks } });
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
      values: say('Plan'),
      any: say('Plan for any values: not all recorded values are known'),
      null: say('Plan with NULL in place of the values: not all of them are known'),
    }[placeholders];
    return [{ kind: 'code', label, text, language: 'text' }];
  } catch (error) {
    const reason = isCodedError(error) ? `${error.message} ${error.fix ?? ''}` : messageOf(error);
    return [note(say('No plan: {reason}', { reason }), 'error')];
  }
}
