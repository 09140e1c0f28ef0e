import type { ErrorPageContext } from '#core/errors';
import type { Profiler } from '../../model/profiler.js';
import { describeFailedQuery } from '../../sections/database/failed-query.js';
import { queryAnchor } from '../../sections/database/section.js';
import { ProfilerLinks } from '../site/links.js';
import { findHistory } from './find-history.js';

/** Facts from the current and earlier records that the error page shows. */
export type ErrorFacts = Pick<ErrorPageContext, 'statement' | 'history'>;

/** Record reader, and the profiler pages' URL: `http://localhost:3000/_profiler`. */
export interface FactSources {
  readonly reader: Pick<Profiler, 'find' | 'list' | 'totals'>;
  readonly prefix: string;
}

/** Reads an error's facts from its request's record, and passes on each as soon as it is known. */
export async function readErrorFacts(
  { reader, prefix }: FactSources,
  token: string,
  found: (facts: ErrorFacts) => void,
): Promise<void> {
  const looked = await reader.find(token, { waits: false });
  if (looked.kind !== 'found') return;
  const { record } = looked;
  const links = new ProfilerLinks(prefix);
  const failed = describeFailedQuery(record);
  if (failed !== undefined) {
    const { query: _query, index, ...statement } = failed;
    const href = `${links.record(token, { panel: 'db' })}#${queryAnchor(index)}`;
    found({ statement: { ...statement, href } });
  }
  const history = await findHistory({ reader, links, now: Date.now }, record);
  if (history !== undefined) found({ history });
}
