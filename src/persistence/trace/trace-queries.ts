import type { Connection, LogContext, MikroORM } from '@mikro-orm/core';
import { reportAsOne } from '#scope';
import { persistenceErrors } from '../orm/error-codes.js';
import { persistenceChannels, type ExplainMessage, type QueryMessage, type CallSite } from './channels.js';
import { captureCallSites } from '#errors';

type ExecuteQuery = <Result>(
  query: string,
  run: () => Promise<Result>,
  context?: LogContext,
) => Promise<Result>;

const tracedObjects = new WeakSet<object>();

/** Offers an ORM for the plans of its queries, until the returned function is called. */
export function offerPlans(orm: MikroORM): () => void {
  const offer = (message: unknown): void => {
    const { connection, offer: take } = message as ExplainMessage; // the type of messages on this channel
    if (connection === String(orm.config.get('dbName'))) take(orm);
  };
  persistenceChannels.explain.subscribe(offer);
  return () => {
    persistenceChannels.explain.unsubscribe(offer);
  };
}

/** Makes the connections of an ORM publish their queries on the query channel. Further calls have no effect. */
export function traceQueries(orm: MikroORM): void {
  for (const type of ['write', 'read'] as const) {
    const connection = orm.em.getConnection(type);
    if (tracedObjects.has(connection)) continue;
    tracedObjects.add(connection);
    trace(connection, String(orm.config.get('dbName')));
  }
}

function trace(connection: Connection, name: string): void {
  // Protected in the types, but the only method through which every statement passes, with its values and its result.
  const execute: ExecuteQuery | undefined = connection['executeQuery'];
  if (typeof execute !== 'function') {
    throw persistenceErrors.create('PERSISTENCE_UNSUPPORTED_ORM', { what: 'executeQuery' });
  }
  connection['executeQuery'] = (query, run, context) => {
    const runQuery = (): ReturnType<typeof run> =>
      execute.call(connection, query, run, context) as ReturnType<typeof run>; // returns what `run` returns
    if (!persistenceChannels.query.hasSubscribers) return runQuery();
    const callSite = captureCallSite();
    const start = performance.now();
    const publish = (rows: number | undefined, error?: unknown): void => {
      const sql = typeof context?.['query'] === 'string' ? context['query'] : query;
      const params: unknown = context?.['params'];
      const message: QueryMessage = {
        sql,
        params: Array.isArray(params) ? params : [],
        durationMs: performance.now() - start,
        rows,
        connection: name,
        error,
        callSite,
      };
      persistenceChannels.query.publish(message);
    };
    return reportAsOne(runQuery).then(
      (result) => {
        publish(rowsOf(result));
        return result;
      },
      (error: unknown) => {
        publish(undefined, error);
        throw error;
      },
    );
  };
}

/** Returns the number of rows in a result: a list of rows, a single row, or the result of a write. */
function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  if (typeof result !== 'object' || result === null)
    return result === undefined || result === null ? 0 : undefined;
  if (!('affectedRows' in result)) return 1;
  return typeof result.affectedRows === 'number' ? result.affectedRows : undefined;
}

/**
 * Returns the application's calls that led here, innermost first. Awaited calls are included as far as V8 tracks them;
 * packages, Node itself and lookback are omitted.
 */
function captureCallSite(): readonly CallSite[] {
  return captureCallSites(captureCallSite, { depth: 80, limit: 12 })();
}
