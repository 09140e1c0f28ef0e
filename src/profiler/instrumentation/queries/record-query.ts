import { channel } from 'node:diagnostics_channel';
import { isOwnWork } from '#core/scope';
import { fieldOf } from '../source/fields.js';
import { doubtLocation, type Moment, runAtMoment, takeMoment } from '../source/moment.js';

const queries = channel('lookback:persistence:query');
const begun = channel('lookback:persistence:query-start');

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

/** A query in progress. Only its first end is recorded. */
export interface BegunQuery {
  readonly done: (result?: unknown) => void;
  readonly failed: (error: unknown) => void;
  /** Call when a queued query is sent. */
  readonly sent: () => void;
}

interface QueryOptions {
  /** Reads the number of rows from a result. Default `rowsOf`. */
  readonly countRows?: (result: unknown) => number | undefined;
  /** True if the statement is known only at the end. */
  readonly isWrittenLater?: boolean;
  /** The query is waiting for a connection: it begins when `sent` is called, or with its end. */
  readonly isQueued?: boolean;
}

/** Duration from which a query's call site is captured again, in milliseconds. */
const slowQueryMs = 100;

/**
 * Message about a query: published when it begins, and again, completed, when it ends. Subscribers that keep the first
 * message can list the query while it is in progress.
 */
class QueryMessage {
  readonly connection: string;
  /** On the `performance.now` clock. */
  startedAt: number;
  readonly callSite: readonly unknown[];
  readonly isRemembered: boolean;
  readonly isOwn: boolean;
  durationMs: number | undefined;
  rows: number | undefined;
  error: unknown;
  readonly #read: () => Statement;
  readonly #moment: Moment;
  #isBegun = false;

  constructor(moment: Moment, connection: string, read: () => Statement) {
    this.connection = connection;
    this.startedAt = moment.startedAt;
    this.callSite = moment.callSite();
    this.isRemembered = moment.isRemembered;
    this.isOwn = isOwnWork(moment.scope);
    this.#moment = moment;
    this.#read = read;
  }

  get sql(): string {
    return this.#read().sql;
  }

  get params(): readonly unknown[] {
    return valuesOf(this.#read().params);
  }

  /** Publishes that the query has begun; a queued one begins now. */
  begin(how: 'at its moment' | 'now'): void {
    if (how === 'now') this.startedAt = performance.now();
    this.#isBegun = true;
    runAtMoment(this.#moment, () => begun.publish(this));
  }

  sent(): void {
    if (!this.#isBegun) this.begin('now');
  }

  end({ rows, error }: Pick<QueryEnd, 'rows' | 'error'>): void {
    if (this.durationMs !== undefined) return;
    this.sent();
    this.durationMs = performance.now() - this.startedAt;
    this.rows = rows;
    this.error = error;
    if (error !== undefined || this.durationMs >= slowQueryMs) doubtLocation(this.#moment, this.sql);
    runAtMoment(this.#moment, () => queries.publish(this));
  }
}

/** Begins a query in the current request; undefined if there is nothing to record. */
export function beginQuery(
  system: string,
  readStatement: () => Statement,
  { countRows = rowsOf, isWrittenLater = false, isQueued = false }: QueryOptions = {},
): BegunQuery | undefined {
  if (!queries.hasSubscribers) return undefined;
  let statement: Statement | undefined;
  const read = isWrittenLater ? readStatement : (): Statement => (statement ??= readStatement());
  const moment = takeMoment(isWrittenLater ? undefined : () => read().sql);
  return moment === undefined ? undefined : beginQueryAt(moment, { system, read, countRows, isQueued });
}

/** Returns lists unchanged, and named parameters as a list in object order. */
export function beginQueryAt(
  moment: Moment,
  {
    system,
    read,
    countRows = rowsOf,
    isQueued = false,
  }: Pick<QueryOptions, 'countRows' | 'isQueued'> & {
    readonly system: string;
    readonly read: () => Statement;
  },
): BegunQuery {
  const message = new QueryMessage(moment, system, read);
  if (!isQueued) message.begin('at its moment');
  return {
    sent: () => message.sent(),
    done: (result) => message.end({ rows: countRows(result) }),
    failed: (error) => message.end({ error }),
  };
}

/** Returns a function that ends a query with its tracing channel's message. */
export function endByMessage(query: BegunQuery): (message: object) => void {
  return (message) => {
    const error = fieldOf(message, 'error');
    if (error === undefined) query.done(fieldOf(message, 'result'));
    else query.failed(error);
  };
}

/** Returns the number of rows affected or returned, by the names that drivers use. */
export function rowsOf(result: unknown): number | undefined {
  for (const name of ['rowCount', 'count', 'affectedRows', 'numAffectedRows']) {
    const count = fieldOf(result, name);
    if (typeof count === 'number' || typeof count === 'bigint') return Number(count);
  }
  const rows = Array.isArray(result) ? result : fieldOf(result, 'rows');
  return Array.isArray(rows) ? rows.length : undefined;
}

/** Returns a list unchanged, and the values of named parameters in the object's order. */
function valuesOf(params: unknown): readonly unknown[] {
  if (Array.isArray(params)) return params;
  return typeof params === 'object' && params !== null ? Object.values(params) : [];
}

/** A finished query to any kind of database. */
export interface FinishedQuery {
  /** The statement with placeholders, or an equivalent: `users.find({"age":?})`. */
  readonly sql: string;
  /** Placeholder values, in order. Values of columns with secret names are redacted. */
  readonly params?: readonly unknown[];
  /** Duration in milliseconds. */
  readonly durationMs?: number;
  /** Start time on the `performance.now` clock, instead of `durationMs`; the query then ends now. */
  readonly startedAt?: number;
  /** Number of rows returned or affected. */
  readonly rows?: number;
  /** `postgresql`, `duckdb`, or the database's name. */
  readonly system?: string;
  /** The error, if the query failed. */
  readonly error?: unknown;
}

/** Adds a finished query to the current request's record: for clients that `recordQueries` does not support. */
export function recordQuery({ sql, params, rows, error, ...query }: FinishedQuery): void {
  const moment = takeMoment(() => String(sql));
  if (moment === undefined) return;
  const { durationMs, startedAt = moment.startedAt, system = 'database' } = query;
  const message = {
    sql,
    params: valuesOf(params),
    durationMs: durationMs ?? performance.now() - startedAt,
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
