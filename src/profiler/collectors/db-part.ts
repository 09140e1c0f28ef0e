import type { Picture } from '#dump';
import { definePart } from '../form/define-part.js';
import type { InputOf } from '../form/form.js';
import type { SectionPart } from '../model/section-part.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import type { TakenValue } from '../pack/values.js';
import { dbForm, dbLimits, type DbGroup, type DbQuery, type DbSection } from './db-section.js';
import { type ComparedQuery, findLoops, groupQueries } from './group-queries.js';

const maxNameLength = 160;

/** What is kept of a request until its record is written. */
export type KeptDb = InputOf<typeof dbForm>;
export type KeptQuery = KeptDb['queries'][number];
export type KeptChange = KeptDb['changes'][number];

/** The `db` section. Which queries repeat themselves is found out when it is read. */
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
    // A record of an older form has none.
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

/** `id` of a query's row, by its place among the queries. */
export function queryAnchor(place: number): string {
  return `query-${place + 1}`;
}

function groupsOf(queries: readonly (DbQuery | KeptQuery)[]): DbGroup[] {
  return groupQueries(comparedOf(queries)).slice(0, dbLimits.groups);
}

function comparedOf(queries: readonly (DbQuery | KeptQuery)[]): ComparedQuery[] {
  return queries.map(({ sql, params, durationMs, callSite }, at) => ({
    sql,
    durationMs,
    callSite,
    /** Unlike all others where a value is not known whole. Few are read. */
    get values() {
      return params.some(({ value }) => !isWhole(value)) ? `#${at}` : JSON.stringify(params);
    },
  }));
}

/** Number of queries in the longest loop of single queries; 0 if there is none. */
function longestLoop(queries: readonly KeptQuery[]): number {
  return Math.max(0, ...findLoops(comparedOf(queries)).map(({ length }) => length));
}

/** Milliseconds from which on a query counts as slow. */
const slowMs = 100;

function slowQueries({ queries }: KeptDb): number {
  return queries.filter(({ durationMs }) => durationMs >= slowMs).length;
}

/** Whether two values like this are the same value: not where a picture was cut or hidden. */
function isWhole(value: Picture | TakenValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { type, text, length, entries } = value;
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}
