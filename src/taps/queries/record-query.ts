import { takeMoment } from '../source/moment.js';
import { publishQuery } from './query-under-way.js';

/** A finished query to any kind of database. */
export interface FinishedQuery {
  /** The statement with placeholders, or its equivalent: `users.find({"age":?})`. */
  readonly sql: string;
  /** The values of the placeholders, in order. Values of columns with secret names are redacted. */
  readonly params?: readonly unknown[];
  /** Duration in milliseconds. */
  readonly durationMs?: number;
  /** Start time of `performance.now`, instead of `durationMs`; the query then ends now. */
  readonly startedAt?: number;
  /** Number of rows returned or affected. */
  readonly rows?: number;
  /** `postgresql`, `duckdb`, or the name of the database. */
  readonly system?: string;
  /** The error, if the query failed. */
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
