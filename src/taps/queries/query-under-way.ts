import { channel } from 'node:diagnostics_channel';
import { type Moment, takeMoment, runAtMoment } from '../source/moment.js';

const queries = channel('lookback:persistence:query');

/** How a query ended. */
export interface QueryEnd {
  readonly sql: string;
  readonly params?: unknown;
  /** Given back or affected; undefined where it is not known. */
  readonly rows?: number | undefined;
  /** What it failed with. */
  readonly error?: unknown;
}

/** A query that has begun; its end is reported once. */
export type EndQuery = (end: QueryEnd) => void;

/** Begins a query of the request that this code runs for; undefined where nothing of it is to be reported. */
export function beginQuery(system: string): EndQuery | undefined {
  const moment = queries.hasSubscribers ? takeMoment() : undefined;
  if (moment === undefined) return undefined;
  let isOver = false;
  return (end) => {
    if (isOver) return;
    isOver = true;
    publishQuery(end, { system, moment });
  };
}

/** Publishes a query that is over. */
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
  };
  runAtMoment(moment, () => queries.publish(message));
}

/** A list as it is; named parameters as the values of their names, in the order in which they were given. */
function valuesOf(params: unknown): readonly unknown[] {
  if (Array.isArray(params)) return params;
  return typeof params === 'object' && params !== null ? Object.values(params) : [];
}
