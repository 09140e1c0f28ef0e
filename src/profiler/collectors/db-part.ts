import type { Picture } from '#dump';
import type { InputOf, OutputOf } from '../form/form.js';
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
export const dbPart: SectionPart = {
  form: dbForm,
  isClean: true,
  summary: {
    queries: { kind: 'count', of: (data) => (data as KeptDb).totals.queries }, // what DbFacts gave
    durationMs: { kind: 'ms', of: (data) => (data as KeptDb).totals.durationMs }, // what DbFacts gave
    repeated: { kind: 'count', of: (data) => longestLoop((data as KeptDb).queries), finding: 'N+1' }, // what DbFacts gave
    slow: { kind: 'count', of: (data) => slowQueries(data as KeptDb), finding: 'slow query' }, // what DbFacts gave
  },
  timeline: timelineOf,
  complete: (stored, startedAt): DbSection => {
    const kept = stored as OutputOf<typeof dbForm>; // written by this form
    const queries = kept.queries.map(({ offsetMs, ...rest }) => ({
      ...rest,
      startedAt: startedAt + offsetMs,
    }));
    return {
      totals: kept.totals,
      groups: groupsOf(queries),
      queries,
      changes: kept.changes,
      unflushed: kept.unflushed,
    };
  },
};

function timelineOf(data: unknown): readonly TimelineEntry[] {
  const { queries, rest } = data as Pick<KeptDb, 'queries' | 'rest'>; // given or read by this form
  const entries = queries.map(({ sql, offsetMs, durationMs }, at): TimelineEntry => ({
    name: sql.slice(0, maxNameLength),
    startMs: offsetMs,
    durationMs,
    category: 'database',
    anchor: queryAnchor(at),
  }));
  if (rest === null || rest === undefined) return entries;
  const { count, offsetMs, durationMs, busyMs } = rest;
  const name = `${count} further queries`;
  return [...entries, { name, startMs: offsetMs, durationMs, busyMs, category: 'database' }];
}

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
