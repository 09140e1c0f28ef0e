import type { OutputOf } from '../form/form.js';
import type { RecordedCallSite } from './message-reader.js';

/** Form of the `db` section. Times in milliseconds. */
export const dbForm = {
  totals: {
    queries: 'count',
    failed: 'count',
    durationMs: 'ms',
    flushes: 'count',
    flushMs: 'ms',
    commits: 'count',
    rollbacks: 'count',
    created: 'count',
    updated: 'count',
    removed: 'count',
  },
  // In the order in which they ended, within `dbLimits`; `totals.queries` counts all.
  queries: [
    {
      // With placeholders; truncated to `dbLimits.text` characters.
      sql: 'word',
      // Values, named by the column that they belong to if the statement shows it.
      params: [{ name: 'word?', value: 'taken' }],
      // Relative to the beginning of the request; negative if the query began before it.
      offsetMs: 'offset',
      durationMs: 'ms',
      // Rows returned or affected; null if unknown.
      rows: 'count?',
      connection: 'word',
      error: 'text?',
      callSite: [{ name: 'word?', file: 'word', line: 'count', column: 'count' }],
    },
  ],
  // The queries omitted from `queries`: their number, and the time from the first to the last.
  rest: ['?', { count: 'count', offsetMs: 'offset', durationMs: 'ms', busyMs: 'ms' }],
  changes: [{ action: 'word', entity: 'word', id: 'text', values: 'taken' }],
  // Changes that were never flushed.
  unflushed: [{ action: 'word', entity: 'word', id: 'text', fields: ['word'] }],
} as const;

type ReadDb = OutputOf<typeof dbForm>;
export type DbTotals = ReadDb['totals'];
/** A query; `startedAt` in milliseconds since the epoch, with fractions. */
export type DbQuery = Omit<ReadDb['queries'][number], 'offsetMs'> & { readonly startedAt: number };

/** The `db` section of a record: the queries and changes of a request. Times in milliseconds. */
export interface DbSection extends Pick<ReadDb, 'totals' | 'changes'> {
  /** Entities that were changed and never flushed. */
  readonly unflushed?: ReadDb['unflushed'];
  /** Groups of repeated queries, slowest first. */
  readonly groups: readonly DbGroup[];
  readonly queries: readonly DbQuery[];
}

/**
 * Queries that could be one. `duplicate`: the same statement with the same values. `n+1`: the same reading statement with
 * different values, repeatedly executed from one place.
 */
export interface DbGroup {
  readonly kind: 'duplicate' | 'n+1';
  readonly sql: string;
  readonly count: number;
  readonly durationMs: number;
  readonly callSite: RecordedCallSite | null;
  /** Indexes in `queries`. */
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
