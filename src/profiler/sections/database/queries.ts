import type { Snapshot } from '#core/dump';
import type { CapturedValue } from '../../encoding/encoded-record.js';
import type { OmittedQueries } from './omitted.js';
import type { RecordedCallSite } from '../../model/find-location.js';

/** Counts of all database work of a request; times in milliseconds. */
export interface DbTotals {
  readonly queries: number;
  readonly failed: number;
  readonly durationMs: number;
  readonly flushes: number;
  readonly flushMs: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
}

/** The facts of a query that its collector keeps as they are shown. */
interface QueryFacts {
  /** With placeholders; truncated to `dbLimits.text` characters. */
  readonly sql: string;
  readonly durationMs: number;
  /** Rows returned or affected; null if unknown. */
  readonly rows: number | null;
  readonly connection: string;
  readonly error: string | null;
  readonly callSite: readonly RecordedCallSite[];
  /** The calls are those of an earlier time at which the route sent this statement. */
  readonly isRemembered?: true;
  /** It is lookback's own: of a session, a throttle or a cache. */
  readonly isOwn?: true;
  /** It had not ended when the record was made; its duration is the time until then, and its rows are unknown. */
  readonly isOpen?: true;
}

/** A query; `startedAt` in milliseconds since the epoch, with fractions. */
export interface DbQuery extends QueryFacts {
  /** Values, named by the column that they belong to if the statement shows it. */
  readonly params: readonly { readonly name: string | null; readonly value: Snapshot }[];
  readonly startedAt: number;
}

/** A query as it is collected; the writer names its values. */
export interface QueryInput extends QueryFacts {
  readonly params: readonly { readonly name?: string | null; readonly value: CapturedValue }[];
  /** Relative to the beginning of the request; negative if the query began before it. */
  readonly offsetMs: number;
}

interface Change {
  readonly action: string;
  readonly entity: string;
  readonly id: string;
}

export interface DbInput {
  readonly totals: DbTotals;
  /** In the order in which they ended, those that are open last, within `dbLimits`; `totals.queries` counts all. */
  readonly queries: readonly QueryInput[];
  /** The queries omitted from `queries`: their number, and the time from the first to the last. */
  readonly rest: {
    readonly count: number;
    readonly offsetMs: number;
    readonly durationMs: number;
    readonly busyMs: number;
  } | null;
  /** The queries omitted from `queries`, by statement; absent if there are none. */
  readonly omitted?: readonly OmittedQueries[];
  readonly changes: readonly (Change & { readonly values: Snapshot })[];
  /** Entities that were changed and never flushed. */
  readonly unflushed: readonly (Change & { readonly fields: readonly string[] })[];
}

/** The `db` section of a record: the queries and changes of a request. Times in milliseconds. */
export interface DbSection extends Pick<DbInput, 'totals' | 'changes'>, Partial<Pick<DbInput, 'unflushed'>> {
  /** Groups of repeated queries, slowest first. */
  readonly groups: readonly DbGroup[];
  readonly queries: readonly DbQuery[];
}

/** Queries that could be one. `duplicate`: the same values; `n+1`: other values, read again and again from one place. */
export interface DbGroup {
  readonly kind: 'duplicate' | 'n+1';
  readonly sql: string;
  /** With those that are omitted from `queries`. */
  readonly count: number;
  readonly durationMs: number;
  readonly callSite: RecordedCallSite | null;
  readonly queries: readonly number[];
}

/** Limits per request. `text`: characters of a statement; `queryBytes`, `changeBytes`: approximate characters of all together. */
export const dbLimits = {
  queries: 200,
  queryBytes: 160_000,
  changes: 100,
  changeBytes: 40_000,
  groups: 30,
  params: 50,
  text: 4000,
} as const;
