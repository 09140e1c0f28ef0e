import { findSection } from '../define-section.js';
import type { DbGroup, DbSection, PoolWait } from './queries.js';
import { queryAnchor, waitAnchor } from './section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { formatCount, formatMilliseconds, shorten } from '../../model/formatting.js';
import { type Finder, from, ofKind, locationTextOf, type RecordFinding, warning } from '../finding.js';
import { say } from '#core/phrases';

const maxReason = 120;
/** Maximum number of groups reported individually. */
const maxGroupsShown = 3;

/** Finders for failed and repeated queries, and entity changes that were never flushed. */
export const databaseFinders: readonly Finder[] = [
  ofKind('failed-query', findFailedQueries),
  ofKind('pool', findPoolWaits),
  ofKind('unflushed', findUnflushedChanges),
  ofKind('open-transaction', findOpenTransaction),
  ofKind('n+1', findRepeatedQueries),
];

function sectionOf(record: ProfileRecord): Partial<DbSection> {
  return findSection<DbSection>(record, 'db', ['queries', 'groups', 'totals']) ?? {};
}

/** Minimum total wait for connections that a finding reports, in milliseconds. */
const minWaitMs = 20;
const maxHoldersShown = 3;

/** Reports how long a request waited for pool connections, and which requests held them. */
function findPoolWaits(record: ProfileRecord): RecordFinding | undefined {
  const { list = [], count = 0 } = sectionOf(record).waits ?? {};
  const longest = list.reduce<PoolWait | undefined>(
    (best, wait) => (best === undefined || wait.durationMs > best.durationMs ? wait : best),
    undefined,
  );
  const ms = list.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (longest === undefined || ms < minWaitMs) return undefined;
  const whole = formatMilliseconds(longest.isOpen === true || count === 1 ? longest.durationMs : ms);
  const times =
    count > 1 && longest.isOpen !== true ? `${formatCount(count)} times, ${whole} in all,` : whole;
  const open = longest.isOpen === true ? ' and got none' : '';
  const text = `Waited ${times} for a connection${open}: ${describePool(longest, record.token)}`;
  return {
    ...warning(text + from(locationTextOf(longest.callSite[0])), 'db', waitAnchor(list.indexOf(longest))),
    explains: Math.min(ms, record.durationMs),
  };
}

/**
 * Describes how full a pool was, and who held its connections: `2 of 2 in use, held by 4f2a1c for 900 ms and this
 * request`.
 */
export function describePool({ inUse, max, holders }: PoolWait, token: string): string {
  const shown = holders.slice(0, maxHoldersShown).map((one) => {
    const who = one.token === token ? 'this request itself' : one.token;
    return `${who} for ${formatMilliseconds(one.heldMs)}`;
  });
  const more = holders.length - shown.length;
  const by =
    shown.length === 0 ? '' : `, held by ${shown.join(' and ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${inUse} of ${max} in use${by}`;
}

function findFailedQueries(record: ProfileRecord): RecordFinding | undefined {
  const { queries = [], totals } = sectionOf(record);
  if (totals === undefined || totals.failed === 0) return undefined;
  const index = queries.findIndex(({ error }) => error !== null);
  const count = say('{n} query failed|{n} queries failed', { n: totals.failed });
  const first = queries[index];
  // An exception itself says why the query failed.
  const why =
    first === undefined || record.exception !== null
      ? ''
      : `${totals.failed > 1 ? '; the first' : ''}: ${shorten(first.error ?? '', maxReason)}${from(locationTextOf(first.callSite[0]))}`;
  const text = `${count}${why}`;
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

const begins = /^\s*(?:begin|start\s+transaction)\b/i;
const ends =
  /^\s*(?:commit|rollback(?!\s+(?:work\s+|transaction\s+)?to\b)|end|abort|prepare\s+transaction)\b/i;
/** A text that contains several statements and ends the transaction itself. */
const endsInside = /;\s*(?:commit|rollback|end)\b/i;

/** Reports a transaction that was begun and not ended, which keeps its locks, and whose connection others may get. */
function findOpenTransaction(record: ProfileRecord): RecordFinding | undefined {
  const { queries = [], totals } = sectionOf(record);
  // Statements beyond the limit may have ended it, and so may code that was still running.
  if (record.state !== 'complete' || totals?.queries !== queries.length) return undefined;
  const begun = queries.flatMap(({ sql, error }, index) =>
    begins.test(sql) && error === null && !endsInside.test(sql) ? [index] : [],
  );
  const ended = queries.filter(({ sql }) => ends.test(sql)).length;
  const index = begun.at(-1);
  if (index === undefined || begun.length <= ended) return undefined;
  const text = 'A transaction was begun, and neither committed nor rolled back by the end of the request';
  return warning(text + from(locationTextOf(queries[index]?.callSite[0])), 'db', queryAnchor(index));
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
