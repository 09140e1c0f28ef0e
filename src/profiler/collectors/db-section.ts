import type { Picture } from '#dump';

/** The `db` section of a record: what a request asked the database, and what it changed. Times in milliseconds. */
export interface DbSection {
  readonly totals: DbTotals;
  /** Queries that repeat themselves, the dearest first. */
  readonly groups: readonly DbGroup[];
  /** In the order they ended, as many as `dbLimits` allow; `totals.queries` counts all. */
  readonly queries: readonly DbQuery[];
  readonly changes: readonly DbChange[];
}

export interface DbQuery {
  /** Statement with placeholders; cut at `dbLimits.text` characters. */
  readonly sql: string;
  readonly params: readonly DbParam[];
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Given back or affected; null where it is not known. */
  readonly rows: number | null;
  readonly connection: string;
  /** Message of what it failed with; null where it did not. */
  readonly error: string | null;
  /** Innermost first. */
  readonly callSite: readonly DbCallSite[];
}

/** A value, under the column it belongs to where the statement tells. */
export interface DbParam {
  readonly name: string | null;
  readonly value: Picture;
}

export interface DbCallSite {
  readonly name: string | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
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
  readonly callSite: DbCallSite | null;
  /** Places in `queries`. */
  readonly queries: readonly number[];
}

export interface DbChange {
  readonly action: string;
  readonly entity: string;
  readonly id: string;
  readonly values: Picture;
}

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

/** How much of one request is kept. `text`: characters of a statement; `queryBytes`, `changeBytes`: roughly the characters of all. */
export const dbLimits: {
  readonly queries: number;
  readonly queryBytes: number;
  readonly changes: number;
  readonly changeBytes: number;
  readonly groups: number;
  readonly params: number;
  readonly text: number;
  readonly frames: number;
} = {
  queries: 200,
  queryBytes: 160_000,
  changes: 100,
  changeBytes: 40_000,
  groups: 30,
  params: 50,
  text: 4000,
  frames: 6,
};
