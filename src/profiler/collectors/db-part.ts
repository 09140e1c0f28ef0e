import type { Picture } from '#dump';
import type { TimelineEntry } from '../model/profile-record.js';
import { slowQueryMs } from '../record/find-place.js';
import { type TakenValue, toPicture } from '../record/raw-record.js';
import {
  dbLimits,
  type DbGroup,
  type DbInput,
  type DbQuery,
  type DbSection,
  type QueryInput,
} from './db-section.js';
import { type CompletedPart, definePart } from './define-part.js';
import { type ComparedQuery, findLoops, groupQueries } from './group-queries.js';

const maxNameLength = 160;

/** Declaration of the `db` section. */
export const dbPart: CompletedPart = definePart<DbInput>({
  summary: {
    queries: { kind: 'count', of: ({ totals }) => totals.queries },
    durationMs: { kind: 'ms', of: ({ totals }) => totals.durationMs },
    repeated: { kind: 'count', of: ({ queries }) => longestLoop(queries), finding: 'N+1' },
    slow: { kind: 'count', of: slowQueries, finding: 'slow query' },
  },
  timeline({ queries, rest }) {
    const entries = queries.map(({ sql, offsetMs, durationMs }, at): TimelineEntry => ({
      name: sql.slice(0, maxNameLength),
      startMs: offsetMs,
      durationMs,
      category: 'database',
      anchor: queryAnchor(at),
    }));
    if (rest === null) return entries;
    const { count, offsetMs, durationMs, busyMs } = rest;
    const name = `${count} further queries`;
    return [...entries, { name, startMs: offsetMs, durationMs, busyMs, category: 'database' }];
  },
  complete({ totals, queries: stored, changes, unflushed }, startedAt): DbSection {
    const queries = stored.map(({ offsetMs, params, ...rest }): DbQuery => ({
      ...rest,
      params: params.map(({ name, value }) => ({ name, value: toPicture(value) })),
      startedAt: startedAt + offsetMs,
    }));
    return { totals, groups: groupsOf(queries), queries, changes, unflushed };
  },
});

/** Returns the `id` of a query's row by its index. */
export function queryAnchor(place: number): string {
  return `query-${place + 1}`;
}

function groupsOf(queries: readonly (DbQuery | QueryInput)[]): DbGroup[] {
  return groupQueries(comparedOf(queries)).slice(0, dbLimits.groups);
}

function comparedOf(queries: readonly (DbQuery | QueryInput)[]): ComparedQuery[] {
  return queries.map(({ sql, params, durationMs, callSite }, at) => ({
    sql,
    durationMs,
    callSite,
    /** Unique if a value is not completely known. A getter, because few are needed. */
    get values() {
      return params.some(({ value }) => !isWhole(value)) ? `#${at}` : JSON.stringify(params);
    },
  }));
}

/** Returns the number of queries in the longest loop of single queries; 0 if there is none. */
function longestLoop(queries: readonly QueryInput[]): number {
  return Math.max(0, ...findLoops(comparedOf(queries)).map(({ length }) => length));
}

function slowQueries({ queries }: DbInput): number {
  return queries.filter(({ durationMs }) => durationMs >= slowQueryMs).length;
}

/** Returns whether a value is completely known, so that equal ones are the same value; false if it is truncated or redacted. */
function isWhole(value: Picture | TakenValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { type, text, length, entries } = value;
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}
