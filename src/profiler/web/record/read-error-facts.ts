import { createSourceLoader, type ErrorPageContext, type FailedCall } from '#core/errors';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Profiler } from '../../model/profiler.js';
import { describeFailedQuery } from '../../sections/database/failed-query.js';
import { queryAnchor } from '../../sections/database/section.js';
import { findFailedCall } from '../../sections/http-client/failed-call.js';
import { callAnchor } from '../../sections/http-client/section.js';
import { ProfilerLinks } from '../site/links.js';
import { locationValue } from '../../view/make-values.js';
import { withOriginalLocations } from './original-locations.js';
import { findHistory } from './find-history.js';

/** Facts from the current and earlier records that the error page shows. */
export type ErrorFacts = Pick<ErrorPageContext, 'statement' | 'call' | 'history'>;

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
  } else {
    const call = describeFailedCall(record, links);
    if (call !== undefined) found({ call });
  }
  const history = await findHistory({ reader, links, now: Date.now }, record);
  if (history !== undefined) found({ history });
}

function describeFailedCall(record: ProfileRecord, links: ProfilerLinks): FailedCall | undefined {
  const failed = findFailedCall(withOriginalLocations(record, createSourceLoader()));
  const [site] = failed?.call.callSite ?? [];
  if (failed === undefined || site === undefined) return undefined;
  const { call, index, place } = failed;
  const { text } = locationValue(site, () => undefined, { withColumn: true });
  return {
    request: `${call.method} ${call.url}`,
    site: { ...site, text },
    place,
    href: `${links.record(record.token, { panel: 'http' })}#${callAnchor(index)}`,
  };
}
