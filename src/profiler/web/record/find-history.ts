import type { ErrorHistory } from '#core/errors';
import { say } from '#core/phrases';
import { formatAge, shorten } from '../../model/formatting.js';
import type { ProfileCondition, TotalsQuery } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { findRecordedError } from '../../model/recorded-error.js';
import type { Profiler } from '../../model/profiler.js';
import { searchLastGood } from '../../search/find-last-good.js';
import { compareRequests, describeDifferences } from '../compare/compare-messages.js';
import type { ProfilerLinks } from '../site/links.js';

/** Where the history is read from, and how it is displayed. */
export interface HistorySources {
  readonly reader: Pick<Profiler, 'find' | 'list' | 'totals'>;
  readonly links: ProfilerLinks;
  readonly now: () => number;
}

/** Finds how often a record's error occurred, and the last successful request before it; undefined if the lookup fails. */
export async function findHistory(
  sources: HistorySources,
  record: ProfileRecord,
): Promise<ErrorHistory | undefined> {
  const { reader, now } = sources;
  const error = findRecordedError(record);
  if (error === undefined) return undefined;
  try {
    const { origin, startedAt } = record;
    const where: ProfileCondition = {
      columns: ['fingerprint'],
      test: { kind: 'is', texts: [error.fingerprint] },
    };
    const [{ groups, complete }, { row: good, isComplete }] = await Promise.all([
      reader.totals({ origin, where: [where] }),
      searchLastGood(reader, record),
    ]);
    const [{ count, firstAt, lastAt } = { count: 0, firstAt: startedAt, lastAt: 0 }] = groups;
    // The store does not count a request in flight.
    const times = lastAt < Math.floor(startedAt) ? count + 1 : count;
    const counts =
      complete && count > 1 ? await countParts(sources, { origin, where: [where], firstAt }) : undefined;
    return {
      ...(counts !== undefined && { counts }),
      seen: describeCount(times, { first: formatAge(now() - firstAt), isWhole: complete }),
      ...(good !== undefined && { lastGood: await describeGood(sources, record, good) }),
      ...(good === undefined && isComplete && { lastGood: null }),
    };
  } catch {
    return undefined; // a failing store must not break other parts of the page
  }
}

const partsShown = 10;

/** Counts the occurrences in equal parts of the time since the first. */
async function countParts(
  { reader, now }: HistorySources,
  { firstAt, ...query }: Pick<TotalsQuery, 'origin' | 'where'> & { readonly firstAt: number },
): Promise<readonly number[] | undefined> {
  const stepMs = Math.max(1, Math.ceil((now() - firstAt + 1) / partsShown));
  const steps = { from: firstAt, stepMs, count: partsShown };
  const { groups, complete } = await reader.totals({ ...query, steps, isCountOnly: true });
  const counts = groups[0]?.steps.map(([count]) => count) ?? [];
  return complete && counts.length > 0 ? counts : undefined;
}

function describeCount(
  n: number,
  { first, isWhole }: { readonly first: string; readonly isWhole: boolean },
): string {
  if (n < 2) return isWhole ? 'once, in this store' : 'at least once';
  return say(isWhole ? '{n} times, first {first}' : 'at least {n} times', { n, first });
}

const maxPathLength = 60;

async function describeGood(
  { reader, links, now }: HistorySources,
  record: ProfileRecord,
  { token, method, path, status, startedAt }: ProfileSummary,
): Promise<NonNullable<ErrorHistory['lastGood']>> {
  const found = await reader.find(token);
  const good = found.kind === 'found' ? found.record : undefined;
  return {
    text: `${method} ${shorten(path, maxPathLength)} → ${status}, ${formatAge(now() - startedAt)}`,
    href: links.record(token),
    comparison: links.compare(record.token, token),
    ...(good !== undefined && { differences: describeDifferences(compareRequests(good, record)) }),
  };
}
