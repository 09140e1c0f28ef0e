import { AsyncResource } from 'node:async_hooks';
import { reportAsOne } from '#scope';
import { undoAll, followPromise, replaceMethod } from '#patches';
import { callMethod, deepField, fieldOf } from '../source/fields.js';
import { tapEachOnce } from '../source/targets.js';
import { keepClient } from './query-clients.js';
import { beginQuery, type BegunQuery, rowsOf } from './record-query.js';

/** Taps a pool of pg, or its prototype. Clients are tapped when the pool hands them out. */
export function tapPgPool(pool: object): (() => void) | undefined {
  const undoQuery = replaceMethod<object>(pool, 'query', (former, args, self) =>
    followQuery(args, (given) => {
      keepClient('postgresql', self);
      return reportAsOne(() => Reflect.apply(former, self, given));
    }),
  );
  if (undoQuery === undefined) return undefined;
  // Only a pool itself hands out clients; its prototype has the options of none.
  if (Object.hasOwn(pool, 'options')) callMethod(pool, 'on', 'acquire', tapEachOnce(tapPgClient));
  return undoAll([
    undoQuery,
    // A waiting caller would receive its client in the asynchronous context of the code that released it.
    replaceMethod(pool, 'connect', (former, args, self) => {
      const [callback] = args;
      return Reflect.apply(former, self, typeof callback === 'function' ? [bound(callback)] : args);
    }),
  ]);
}

/** Taps a client of pg, or its prototype. */
export function tapPgClient(client: object): (() => void) | undefined {
  return replaceMethod(client, 'query', (former, args, self) =>
    followQuery(args, (given) => Reflect.apply(former, self, given)),
  );
}

function followQuery(args: unknown[], send: (given: unknown[]) => unknown): unknown {
  const [config, values] = args;
  const field = (name: string): unknown => fieldOf(config, name) ?? deepField(config, 'cursor', name);
  const sql = typeof config === 'string' ? config : field('text');
  const query = beginQuery(
    'postgresql',
    () => ({
      sql: typeof sql === 'string' ? sql : '',
      params: Array.isArray(values) ? values : field('values'),
    }),
    // Several statements at once have a list of results.
    { countRows: (result) => rowsOf(Array.isArray(result) ? result.at(-1) : result) },
  );
  if (query === undefined) return send(args);
  const given = withCallback(args, query);
  try {
    const result = send(given ?? args);
    if (given !== undefined) return result;
    const promised = followPromise(result, query);
    if (promised === undefined) watchCursor(result, query);
    return promised ?? result;
  } catch (error) {
    query.failed(error);
    throw error;
  }
}

/**
 * Returns the arguments with a wrapped callback, which records the end and then calls the original in its asynchronous
 * context; undefined if there is no callback.
 */
function withCallback(args: readonly unknown[], query: BegunQuery): unknown[] | undefined {
  const at = args.findIndex((arg) => typeof arg === 'function');
  const callback = args[at];
  if (typeof callback !== 'function') return undefined;
  const inContext = bound(callback);
  return args.with(at, (error: unknown, result: unknown) => {
    if (error) query.failed(error);
    else query.done(result);
    inContext(error, result);
  });
}

/** Ends the query of a cursor or stream at its final event. */
function watchCursor(cursor: unknown, query: BegunQuery): void {
  const once = fieldOf(cursor, 'once');
  if (typeof once !== 'function') return query.done();
  for (const event of ['end', 'close']) Reflect.apply(once, cursor, [event, () => query.done()]);
}

function bound(callback: Function): (...args: unknown[]) => unknown {
  return AsyncResource.bind((...args: unknown[]) => Reflect.apply(callback, undefined, args));
}
