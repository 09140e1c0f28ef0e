import type { OutputOf } from '../form/form.js';
import type { RecordedCallSite } from './message-reader.js';

/** How the `db` section is written. Times in milliseconds. */
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
  // In the order they ended, as many as `dbLimits` allow; `totals.queries` counts all.
  queries: [
    {
      // With placeholders; cut at `dbLimits.text` characters.
      sql: 'word',
      // Each under the column that it belongs to, where the statement shows it.
      params: [{ name: 'word?', value: 'taken' }],
      // Since the beginning of the request: a query that took longer than the request was there began before it.
      offsetMs: 'offset',
      durationMs: 'ms',
      // Given back or affected; null where it is not known.
      rows: 'count?',
      connection: 'word',
      error: 'text?',
      callSite: [{ name: 'word?', file: 'word', line: 'count', column: 'count' }],
    },
  ],
  // The queries that are not among them: how long they took, from the first to the last.
  rest: ['?', { count: 'count', offsetMs: 'offset', durationMs: 'ms', busyMs: 'ms' }],
  changes: [{ action: 'word', entity: 'word', id: 'text', values: 'taken' }],
  // What was changed and never written.
  unflushed: [{ action: 'word', entity: 'word', id: 'text', fields: ['word'] }],
} as const;

type ReadDb = OutputOf<typeof dbForm>;
export type DbTotals = ReadDb['totals'];
/** `startedAt` in milliseconds since the epoch, with fractions. */
export type DbQuery = Omit<ReadDb['queries'][number], 'offsetMs'> & { readonly startedAt: number };

/** The `db` section of a record: the queries and changes of a request. Times in milliseconds. */
export interface DbSection extends Pick<ReadDb, 'totals' | 'changes'> {
  /** Entities that were changed and never flushed. */
  readonly unflushed?: ReadDb['unflushed'];
  /** Queries that repeat themselves, the slowest first. */
  readonly groups: readonly DbGroup[];
  readonly queries: readonly DbQuery[];
}

/**
 * `duplicate`: the same statement with the same values. `n+1`: the same reading statement with other values, asked
 * again and again from one place.
 */
export interface DbGroup {
  readonly kind: 'duplicate' | 'n+1';
  readonly sql: string;
  readonly count: number;
  readonly durationMs: number;
  readonly callSite: RecordedCallSite | null;
  /** Places in `queries`. */
  readonly queries: readonly number[];
}

/** How much of one request is kept. `text`: characters of a statement; `queryBytes`, `changeBytes`: roughly the characters of all. */
export const dbLimits = {
  queries: 200,
  queryBytes: 160_000,
  changes: 100,
  changeBytes: 40_000,
  groups: 30,
  params: 50,
  text: 4000,
} as const;
