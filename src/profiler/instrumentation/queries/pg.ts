import { reportAsOne } from '#core/scope';
import { followResult, replaceMethod, type Undo, undoAll } from '#core/patches';
import { callMethod, deepField, fieldOf } from '../source/fields.js';
import { bindCallback, followCall } from '../source/listen-to.js';
import { instrumentEachOnce } from '../source/targets.js';
import { keepClient } from './query-clients.js';
import { beginPgWait, noteHolders } from './pool-waits.js';
import { beginQuery, type BegunQuery, rowsOf } from './record-query.js';

/** The query that `pool.query` has begun, passed to the `pool.connect` call that it makes immediately. */
let handed: { readonly ended: () => void; readonly sent?: (() => void) | undefined } | undefined;

function endOf(wait: ReturnType<typeof beginPgWait>): () => void {
  return () => wait?.ended();
}

/** Instruments a pg pool, or its prototype. Clients are instrumented when the pool hands them out. */
export function instrumentPgPool(pool: object): (() => void) | undefined {
  const undoQuery = replaceMethod<object>(pool, 'query', (former, args, self) => {
    const send = (given: unknown[]): unknown => {
      keepClient('postgresql', self);
      return reportAsOne(() => Reflect.apply(former, self, given));
    };
    try {
      return followQuery(args, send, self);
    } finally {
      handed = undefined;
    }
  });
  if (undoQuery === undefined) return undefined;
  // Only a pool itself hands out clients; its prototype has no options.
  if (Object.hasOwn(pool, 'options'))
    callMethod(pool, 'on', 'acquire', instrumentEachOnce(instrumentPgClient));
  return undoAll([
    undoQuery,
    replaceMethod<object>(pool, 'connect', (former, args, self) => {
      const { ended, sent } = handed ?? { ended: endOf(beginPgWait(self)) };
      handed = undefined;
      const note = noteHolders(self);
      const [callback] = args;
      const got = (client: unknown): void => {
        ended();
        note(client);
        sent?.();
      };
      if (typeof callback !== 'function')
        return followResult(() => Reflect.apply(former, self, args), { done: got, failed: ended });
      // A waiting caller would receive its client in the asynchronous context that released it.
      const inContext = bindCallback(callback);
      const noting = (error: unknown, client: unknown, ...rest: unknown[]): void => {
        if (error) ended();
        else got(client);
        inContext(error, client, ...rest);
      };
      return Reflect.apply(former, self, [noting]);
    }),
  ]);
}

export function instrumentPgClient(client: object): (() => void) | undefined {
  return replaceMethod(client, 'query', (former, args, self) =>
    followQuery(withOwnCallback(args), (given) => Reflect.apply(former, self, given)),
  );
}

/** Passes a configuration's callback as an argument, which pg prefers and which can be followed like any other. */
function withOwnCallback(args: unknown[]): unknown[] {
  const [config, values] = args;
  const callback = fieldOf(config, 'callback');
  if (typeof callback !== 'function' || isSubmittable(config) || args.some(isFunction)) return args;
  // A copy, because pg would set the callback on the application's own object.
  return [Object.create(Object(config)), values, callback];
}

function isFunction(value: unknown): value is Function {
  return typeof value === 'function';
}

/** Returns whether pg passes server messages to the value: a `Query`, a cursor, a stream, or one of the application's objects. */
function isSubmittable(config: unknown): config is object {
  return typeof fieldOf(config, 'submit') === 'function';
}

/** Follows a query. A pool's query begins once it has a connection. */
function followQuery(args: unknown[], send: (given: unknown[]) => unknown, pool?: object): unknown {
  const [config, values] = args;
  const field = (name: string): unknown => fieldOf(config, name) ?? deepField(config, 'cursor', name);
  const sql = typeof config === 'string' ? config : field('text');
  const wait = pool && beginPgWait(pool);
  const query = beginQuery(
    'postgresql',
    () => ({
      sql: typeof sql === 'string' ? sql : '',
      params: Array.isArray(values) ? values : field('values'),
    }),
    // Several statements at once return a list of results.
    {
      countRows: (result) => rowsOf(Array.isArray(result) ? result.at(-1) : result),
      isQueued: wait !== undefined,
    },
  );
  if (wait !== undefined) handed = { ended: () => wait.ended(), sent: query?.sent };
  if (query === undefined) return send(args);
  if (!isSubmittable(config)) return followCall(args, send, query);
  followSubmittable(config, query);
  return followCall(args, send, { done: () => undefined, failed: query.failed });
}

/**
 * Ends a query according to the messages that pg passes to it, because a cursor or stream may have neither a callback
 * nor a listener.
 */
function followSubmittable(submittable: object, query: BegunQuery): void {
  let rowCount = 0;
  const follow = (target: object, name: string, note: (message: unknown) => void): Undo | undefined =>
    replaceMethod(target, name, (former, args, self) => {
      note(args[0]);
      return Reflect.apply(former, self, args);
    });
  const { cursor = submittable } = submittable as { readonly cursor?: object }; // for a stream
  const undos: (Undo | undefined)[] = [];
  const end = (report: () => void): void => {
    undoAll(undos)();
    report();
  };
  undos.push(
    follow(submittable, 'handleDataRow', () => rowCount++),
    follow(submittable, 'handleError', (error) => end(() => query.failed(error))),
    follow(submittable, 'handleReadyForQuery', () => end(() => query.done({ rowCount }))),
    // The application needs no more rows; the server answers later.
    follow(cursor, 'close', () => end(() => query.done({ rowCount }))),
  );
}
