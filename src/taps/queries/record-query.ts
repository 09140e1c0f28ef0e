import { takeMoment } from '../source/moment.js';
import { publishQuery } from './query-under-way.js';

/** A finished query to any kind of database. */
export interface FinishedQuery {
  /** The statement with placeholders, or what stands for one: `users.find({"age":?})`. */
  readonly sql: string;
  /** Its values, in order. Those of secret names (columns) are hidden. */
  readonly params?: readonly unknown[];
  /** Milliseconds. */
  readonly durationMs?: number;
  /** Of `performance.now`, in place of the duration: it ends now. */
  readonly startedAt?: number;
  /** Given back or affected. */
  readonly rows?: number;
  /** `postgresql`, `duckdb`, or the name of the database. */
  readonly system?: string;
  /** What it failed with. */
  readonly error?: unknown;
}

/**
 * Adds a finished query to the record of the current request, for clients that `recordQueries` does not support. Does
 * nothing if no request is recorded.
 */
export function recordQuery(query: FinishedQuery): void {
  const moment = takeMoment();
  if (moment === undefined) return;
  const { durationMs, startedAt = moment.startedAt, system = 'database' } = query;
  publishQuery(query, { system, moment, durationMs: durationMs ?? performance.now() - startedAt });
}
