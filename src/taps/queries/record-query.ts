import { channel } from 'node:diagnostics_channel';
import { doubtPlace, type Moment, runAtMoment, takeMoment } from '../source/moment.js';

const queries = channel('lookback:persistence:query');

/** How a query ended. */
export interface QueryEnd {
  readonly sql: string;
  readonly params?: unknown;
  /** Number of rows returned or affected, if known. */
  readonly rows?: number | undefined;
  /** The error, if the query failed. */
  readonly error?: unknown;
}

/** Reports the end of a query. Call it once. */
export type EndQuery = (end: QueryEnd) => void;

/** A query that takes longer is looked at more closely. */
const slowQueryMs = 100;

/** Begins a query in the current request; returns undefined if there is nothing to record. */
export function beginQuery(system: string, textOf?: () => string): EndQuery | undefined {
  const moment = queries.hasSubscribers ? takeMoment(textOf) : undefined;
  if (moment === undefined) return undefined;
  let isOver = false;
  return (end) => {
    if (isOver) return;
    isOver = true;
    publishQuery(end, { system, moment });
  };
}

/** Publishes a finished query. */
export function publishQuery(
  { sql, params, rows, error }: QueryEnd,
  {
    system,
    moment,
    durationMs,
  }: { readonly system: string; readonly moment: Moment; readonly durationMs?: number },
): void {
  const message = {
    sql,
    params: valuesOf(params),
    durationMs: durationMs ?? performance.now() - moment.startedAt,
    rows,
    connection: system,
    error,
    callSite: moment.callSite(),
    isRemembered: moment.isRemembered,
  };
  if (error !== undefined || message.durationMs >= slowQueryMs) doubtPlace(moment, sql);
  runAtMoment(moment, () => queries.publish(message));
}

/** Returns a list unchanged, and the values of named parameters in the order of the object. */
function valuesOf(params: unknown): readonly unknown[] {
  if (Array.isArray(params)) return params;
  return typeof params === 'object' && params !== null ? Object.values(params) : [];
}

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
