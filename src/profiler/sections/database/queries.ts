import type { Snapshot } from '#core/dump';
import type { CapturedValue } from '../../encoding/encoded-record.js';
import type { OmittedQueries } from './omitted.js';
import type { RecordedCallSite } from '../../model/find-location.js';

/** A request's database totals; times in milliseconds. */
export interface DbTotals {
  readonly queries: number;
  readonly failed: number;
  readonly durationMs: number;
  /** The part sent by lookback itself, for sessions, throttling, caching or versions; absent if there is none. */
  readonly own?: { readonly queries: number; readonly durationMs: number };
  readonly flushes: number;
  readonly flushMs: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
}

/** Query facts that are stored as collected. */
interface QueryFacts {
  /** With placeholders; truncated to `dbLimits.text` characters. */
  readonly sql: string;
  readonly durationMs: number;
  /** Rows returned or affected; null if unknown. */
  readonly rows: number | null;
  readonly connection: string;
  readonly error: string | null;
  readonly callSite: readonly RecordedCallSite[];
  /** The call site was captured earlier, when the route first sent this statement. */
  readonly isRemembered?: true;
  /** Sent by lookback itself, for sessions, throttling, caching or stored versions. */
  readonly isOwn?: true;
  /** Still running when the record was made; the duration is the time until then, and the rows are unknown. */
  readonly isOpen?: true;
}

/** A query. `startedAt` is in fractional milliseconds since the epoch. */
export interface DbQuery extends QueryFacts {
  /** Values, with the column name where the statement reveals it. */
  readonly params: readonly { readonly name: string | null; readonly value: Snapshot }[];
  readonly startedAt: number;
}

/** A query as collected; the writer names its values. */
export interface QueryInput extends QueryFacts {
  readonly params: readonly { readonly name?: string | null; readonly value: CapturedValue }[];
  /** Milliseconds since the request began; negative if the query began earlier. */
  readonly offsetMs: number;
}

/** Facts about a connection wait that are stored as collected. */
interface WaitFacts {
  readonly durationMs: number;
  /** Kind of pool: `postgresql`, `mysql`, `tarn` (Knex). */
  readonly pool: string;
  /** When the wait began: connections in use, their maximum, and the number of callers already waiting. */
  readonly inUse: number;
  readonly max: number;
  readonly waiting: number;
  /** The requests that held a connection, and for how long, longest first. */
  readonly holders: readonly { readonly token: string; readonly heldMs: number }[];
  readonly callSite: readonly RecordedCallSite[];
  /** Still waiting when the record was made. */
  readonly isOpen?: true;
}

/** A wait for a connection from a pool whose connections were all in use. */
export interface PoolWait extends WaitFacts {
  readonly startedAt: number;
}

interface PoolWaitInput extends WaitFacts {
  readonly offsetMs: number;
}

interface Change {
  readonly action: string;
  readonly entity: string;
  readonly id: string;
}

export interface DbInput {
  readonly totals: DbTotals;
  /** In the order in which they ended, then those still running, within `dbLimits`; `totals.queries` counts all. */
  readonly queries: readonly QueryInput[];
  /** The queries omitted from `queries`: their number, and the period they cover. */
  readonly rest: {
    readonly count: number;
    readonly offsetMs: number;
    readonly durationMs: number;
    readonly busyMs: number;
  } | null;
  /** The queries omitted from `queries`, by statement; absent if there are none. */
  readonly omitted?: readonly OmittedQueries[];
  /** The first waits for a connection, and their total number; absent if there are none. */
  readonly waits?: { readonly count: number; readonly list: readonly PoolWaitInput[] };
  readonly changes: readonly (Change & { readonly values: Snapshot })[];
  /** Entities that were changed but never flushed. */
  readonly unflushed: readonly (Change & { readonly fields: readonly string[] })[];
}

/** A record's `db` section: the request's queries and entity changes. Times in milliseconds. */
export interface DbSection extends Pick<DbInput, 'totals' | 'changes'>, Partial<Pick<DbInput, 'unflushed'>> {
  /** Groups of repeated queries, slowest first. */
  readonly groups: readonly DbGroup[];
  readonly queries: readonly DbQuery[];
  readonly waits?: { readonly count: number; readonly list: readonly PoolWait[] };
}

/**
 * Queries that could be one. `duplicate`: the same values; `n+1`: different values, read repeatedly from one call site.
 */
export interface DbGroup {
  readonly kind: 'duplicate' | 'n+1';
  readonly sql: string;
  /** Includes those omitted from `queries`. */
  readonly count: number;
  readonly durationMs: number;
  readonly callSite: RecordedCallSite | null;
  readonly queries: readonly number[];
}

/** Limits per request. `text`: characters per statement; `queryBytes`, `changeBytes`: approximate total characters. */
export const dbLimits = {
  queries: 200,
  queryBytes: 160_000,
  changes: 100,
  changeBytes: 40_000,
  waits: 20,
  groups: 30,
  params: 50,
  text: 4000,
} as const;
