import type { Picture } from '#dump';
import { definePart } from '../form/define-part.js';
import type { InputOf } from '../form/form.js';
import type { SectionPart } from '../model/section-part.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import type { TakenValue } from '../pack/values.js';
import { dbForm, dbLimits, type DbGroup, type DbQuery, type DbSection } from './db-section.js';
import { type ComparedQuery, findLoops, groupQueries } from './group-queries.js';

const maxNameLength = 160;

/** Data of the `db` section before it is written. */
export type DbInput = InputOf<typeof dbForm>;
export type QueryInput = DbInput['queries'][number];
export type ChangeInput = DbInput['changes'][number];

/** Declaration of the `db` section. Repeated queries are grouped when the section is read. */
export const dbPart: SectionPart = definePart(dbForm, {
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
    // Records of an older form have no `rest`.
    if (rest === null || rest === undefined) return entries;
    const { count, offsetMs, durationMs, busyMs } = rest;
    const name = `${count} further queries`;
    return [...entries, { name, startMs: offsetMs, durationMs, busyMs, category: 'database' }];
  },
  complete({ totals, queries: stored, changes, unflushed }, startedAt): DbSection {
    const queries = stored.map(({ offsetMs, ...rest }) => ({ ...rest, startedAt: startedAt + offsetMs }));
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

/** A query that takes at least this many milliseconds counts as slow. */
const slowMs = 100;

function slowQueries({ queries }: DbInput): number {
  return queries.filter(({ durationMs }) => durationMs >= slowMs).length;
}

/** Returns whether a value is completely known, so that equal ones are the same value; false if it is truncated or redacted. */
function isWhole(value: Picture | TakenValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { type, text, length, entries } = value;
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}
