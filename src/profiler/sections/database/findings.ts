import { findSection } from '../define-section.js';
import type { DbGroup, DbSection } from './queries.js';
import { queryAnchor } from './section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { formatCount, formatMilliseconds } from '../../model/formatting.js';
import { type Finder, ofKind, locationTextOf, type RecordFinding, warning } from '../finding.js';
import { say } from '#core/phrases';

/** Maximum number of groups reported individually. */
const maxGroupsShown = 3;

/** Finders for failed and repeated queries, and entity changes that were never flushed. */
export const databaseFinders: readonly Finder[] = [
  ofKind('failed-query', findFailedQueries),
  ofKind('unflushed', findUnflushedChanges),
  ofKind('n+1', findRepeatedQueries),
];

function sectionOf(record: ProfileRecord): Partial<DbSection> {
  return findSection<DbSection>(record, 'db', ['queries', 'groups', 'totals']) ?? {};
}

function findFailedQueries(record: ProfileRecord): RecordFinding | undefined {
  const { queries = [], totals } = sectionOf(record);
  if (totals === undefined || totals.failed === 0) return undefined;
  const index = queries.findIndex(({ error }) => error !== null);
  const text = say('{n} query failed|{n} queries failed', { n: totals.failed });
  return { ...warning(text, 'db', index === -1 ? undefined : queryAnchor(index)), level: 'error' };
}

/**
 * Reports entity changes that were never flushed, unless an exception explains why, and writes that were not awaited.
 */
function findUnflushedChanges(record: ProfileRecord): readonly RecordFinding[] {
  const { unflushed = [] } = sectionOf(record);
  const shown = unflushed.filter(({ action }) => action === 'unawaited' || record.exception === null);
  return shown.map(({ action, entity, id, fields }) => {
    const what = id === '' ? entity : `${entity} ${id}`;
    const text =
      action === 'unawaited'
        ? `The write to the database at ${entity} was not awaited`
        : action === 'create'
          ? `${what} was added and never flushed`
          : action === 'remove'
            ? `${what} was removed and never flushed`
            : `${what} was changed (${fields.join(', ')}) and never flushed`;
    return { ...warning(text, 'db'), ...(action === 'unawaited' ? { kind: 'not-awaited' } : {}) };
  });
}

function findRepeatedQueries(record: ProfileRecord): readonly RecordFinding[] {
  const { groups = [] } = sectionOf(record);
  const found = groups.slice(0, maxGroupsShown).map(reportRepeatedQueries);
  const rest = groups.length - found.length;
  const text = say('{n} more group of repeated queries|{n} more groups of repeated queries', { n: rest });
  return rest > 0 ? [...found, { ...warning(text, 'db'), explains: 0 }] : found;
}

export function reportRepeatedQueries({
  kind,
  count,
  durationMs,
  callSite,
  queries,
}: DbGroup): RecordFinding {
  const location = locationTextOf(callSite);
  const query = kind === 'n+1' ? 'same query' : 'same query with the same values';
  const who = location === undefined ? `The ${query} ran` : `${location} ran the ${query}`;
  const text = `${who} ${formatCount(count)} times (${formatMilliseconds(durationMs)})`;
  const [first] = queries;
  const anchor = first === undefined ? undefined : queryAnchor(first);
  return {
    ...warning(text, 'db', anchor),
    kind: kind === 'n+1' ? kind : 'duplicate-query',
    explains: durationMs,
  };
}
