import type { Connection, LogContext, MikroORM } from '@mikro-orm/core';
import { reportAsOne } from '#scope';
import { persistenceErrors } from '../orm/error-codes.js';
import { captureCallSite } from './capture-call-site.js';
import { persistenceChannels } from './channels.js';
import type { ExplainMessage, QueryMessage } from './channels.js';

type ExecuteQuery = <Result>(
  query: string,
  run: () => Promise<Result>,
  context?: LogContext,
) => Promise<Result>;

const tracedObjects = new WeakSet<object>();

/** Offers an ORM to whoever wants the plan of one of its queries, until the function given back is called. */
export function offerPlans(orm: MikroORM): () => void {
  const offer = (message: unknown): void => {
    const { connection, offer: take } = message as ExplainMessage; // nobody else publishes here
    if (connection === String(orm.config.get('dbName'))) take(orm);
  };
  persistenceChannels.explain.subscribe(offer);
  return () => {
    persistenceChannels.explain.unsubscribe(offer);
  };
}

/** Makes the connections of an ORM publish their queries on the query channel; done once, however often it is called. */
export function traceQueries(orm: MikroORM): void {
  for (const type of ['write', 'read'] as const) {
    const connection = orm.em.getConnection(type);
    if (tracedObjects.has(connection)) continue;
    tracedObjects.add(connection);
    trace(connection, String(orm.config.get('dbName')));
  }
}

function trace(connection: Connection, name: string): void {
  // Protected in the types: the one place through which every statement goes, with its values and its result.
  const execute: ExecuteQuery | undefined = connection['executeQuery'];
  if (typeof execute !== 'function') {
    throw persistenceErrors.create('PERSISTENCE_UNSUPPORTED_ORM', { what: 'executeQuery' });
  }
  connection['executeQuery'] = async (query, run, context) => {
    if (!persistenceChannels.query.hasSubscribers)
      return execute.call(connection, query, run, context) as never; // run's result
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
    try {
      const result = await reportAsOne(() => execute.call(connection, query, run, context));
      publish(rowsOf(result));
      return result as never; // run's result
    } catch (error) {
      publish(undefined, error);
      throw error;
    }
  };
}

/** A list of rows, the one row that was asked for, or what a write says of itself. */
function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  if (typeof result !== 'object' || result === null)
    return result === undefined || result === null ? 0 : undefined;
  if (!('affectedRows' in result)) return 1;
  return typeof result.affectedRows === 'number' ? result.affectedRows : undefined;
}
