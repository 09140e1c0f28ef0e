import { reportAsOne } from '#core/scope';
import { undoAll, replaceMethod } from '#core/patches';
import { callMethod, deepField, fieldOf } from '../source/fields.js';
import { bindCallback, followCall } from '../source/listen-to.js';
import { instrumentEachOnce } from '../source/targets.js';
import { keepClient } from './query-clients.js';
import { beginQuery, type BegunQuery, rowsOf } from './record-query.js';

/** Instruments a pool of pg, or its prototype. Clients are instrumented when the pool hands them out. */
export function instrumentPgPool(pool: object): (() => void) | undefined {
  const undoQuery = replaceMethod<object>(pool, 'query', (former, args, self) =>
    followQuery(args, (given) => {
      keepClient('postgresql', self);
      return reportAsOne(() => Reflect.apply(former, self, given));
    }),
  );
  if (undoQuery === undefined) return undefined;
  // Only a pool itself hands out clients; its prototype has the options of none.
  if (Object.hasOwn(pool, 'options'))
    callMethod(pool, 'on', 'acquire', instrumentEachOnce(instrumentPgClient));
  return undoAll([
    undoQuery,
    // A waiting caller would receive its client in the asynchronous context of the code that released it.
    replaceMethod(pool, 'connect', (former, args, self) => {
      const [callback] = args;
      return Reflect.apply(former, self, typeof callback === 'function' ? [bindCallback(callback)] : args);
    }),
  ]);
}

export function instrumentPgClient(client: object): (() => void) | undefined {
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
  return followCall(args, send, {
    done: (result) => endQuery(result, query),
    failed: query.failed,
  });
}

/** Ends the query with its result, or that of a cursor or stream at its final event. */
function endQuery(result: unknown, query: BegunQuery): void {
  const once = fieldOf(result, 'once');
  if (typeof once !== 'function') return query.done(result);
  for (const event of ['end', 'close']) Reflect.apply(once, result, [event, () => query.done()]);
}
