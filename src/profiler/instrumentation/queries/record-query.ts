import { channel } from 'node:diagnostics_channel';
import { isOwnWork } from '#core/scope';
import { fieldOf } from '../source/fields.js';
import { doubtLocation, type Moment, runAtMoment, takeMoment } from '../source/moment.js';

const queries = channel('lookback:persistence:query');

interface Statement {
  readonly sql: string;
  readonly params?: unknown;
}

interface QueryEnd extends Statement {
  /** Number of rows returned or affected, if known. */
  readonly rows?: number | undefined;
  /** The error, if the query failed. */
  readonly error?: unknown;
}

/** A query that has begun. Only its first end is recorded. */
export interface BegunQuery {
  readonly done: (result?: unknown) => void;
  readonly failed: (error: unknown) => void;
}

interface QueryOptions {
  /** Reads the number of rows from a result. Default `rowsOf`. */
  readonly countRows?: (result: unknown) => number | undefined;
  /** The statement is known only at the end. */
  readonly isWrittenLater?: boolean;
}

/** A query that takes longer is looked at more closely. */
const slowQueryMs = 100;

/** Begins a query in the current request; returns undefined if there is nothing to record. */
export function beginQuery(
  system: string,
  readStatement: () => Statement,
  { countRows = rowsOf, isWrittenLater = false }: QueryOptions = {},
): BegunQuery | undefined {
  let statement: Statement | undefined;
  const read = (): Statement => (statement ??= readStatement());
  const textOf = isWrittenLater ? undefined : (): string => read().sql;
  const moment = queries.hasSubscribers ? takeMoment(textOf) : undefined;
  if (moment === undefined) return undefined;
  let isOver = false;
  const end = (how: Pick<QueryEnd, 'rows' | 'error'>): void => {
    if (isOver) return;
    isOver = true;
    publishQuery({ ...read(), ...how }, { system, moment });
  };
  return { done: (result) => end({ rows: countRows(result) }), failed: (error) => end({ error }) };
}

/** Returns the number of rows that were affected or returned, by the names that drivers have for it. */
export function rowsOf(result: unknown): number | undefined {
  for (const name of ['rowCount', 'count', 'affectedRows', 'numAffectedRows']) {
    const count = fieldOf(result, name);
    if (typeof count === 'number' || typeof count === 'bigint') return Number(count);
  }
  const rows = Array.isArray(result) ? result : fieldOf(result, 'rows');
  return Array.isArray(rows) ? rows.length : undefined;
}

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
    isOwn: isOwnWork(moment.scope),
  };
  if (error !== undefined || message.durationMs >= slowQueryMs) doubtLocation(moment, sql);
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

/** Adds a finished query to the record of the current request: for clients that `recordQueries` does not support. */
export function recordQuery(query: FinishedQuery): void {
  const moment = takeMoment(() => String(query.sql));
  if (moment === undefined) return;
  const { durationMs, startedAt = moment.startedAt, system = 'database' } = query;
  publishQuery(query, { system, moment, durationMs: durationMs ?? performance.now() - startedAt });
}
