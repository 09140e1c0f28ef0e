import { followPromise } from '#patches';
import { registerSpan } from '#profiler';
import { type Exchange, findExchange } from './exchange.js';
import { nameOfHandler } from './note-facts.js';

/** A function that a framework runs for a request, whatever it takes. */
export type Middleware = (...args: never[]) => unknown;

/** Timed ones by those that they replace, and by their own identity. */
const timed = new WeakMap<Middleware, Middleware>();

/**
 * A middleware that is the given one in all, but for a bar in the timeline of each recorded request, from its call to its end, and
 * that what it throws is noted. `messageOf` finds Node's request in its first argument.
 */
export function timeMiddleware<Context>(
  middleware: Middleware,
  messageOf: (context: Context) => object | undefined,
  category: 'middleware' | 'controller' = 'middleware',
): Middleware {
  const known = timed.get(middleware);
  if (known !== undefined) return known;
  // That of Koa's router has no name of its own.
  const unnamed = 'router' in middleware ? 'router' : category === 'middleware' ? category : 'handler';
  const name = nameOfHandler(middleware, unnamed);
  const kind = registerSpan({ name, category });
  const apply = (work: Middleware, self: unknown, args: [Context, ...never]): unknown => {
    const message = messageOf(args[0]);
    const exchange = message === undefined ? undefined : findExchange(message);
    if (exchange === undefined) return Reflect.apply(work, self, args);
    return runTimed(exchange, kind, () => Reflect.apply(work, self, args));
  };
  const proxy = new Proxy(middleware, { apply });
  timed.set(middleware, proxy).set(proxy, proxy);
  return proxy;
}

/** Runs work as a bar of the timeline, to the end of what it promises; what it throws is noted. */
export function runTimed<Result>(exchange: Exchange, kind: number, work: () => Result): Result {
  const bar = exchange.enter(kind);
  const failed = (error: unknown): void => {
    exchange.leave(bar, 'failed');
    exchange.error(error);
  };
  try {
    const result = work();
    const done = (): void => exchange.leave(bar);
    if (result instanceof Promise) return followPromise(result, { done, failed }) as Result; // of its kind, and settled as it is
    done();
    return result;
  } catch (error) {
    failed(error);
    throw error;
  }
}
