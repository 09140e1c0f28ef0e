import { followPromise } from '#patches';
import { registerSpan } from '#profiler';
import { type Exchange, findExchange } from './exchange.js';
import { nameOfHandler } from './note-facts.js';

/** A function that a framework runs for a request, with any parameters. */
export type Middleware = (...args: never[]) => unknown;

/** Original → timed wrapper, and wrapper → itself. */
const timed = new WeakMap<Middleware, Middleware>();

/**
 * Returns a proxy of a middleware that adds a bar to the timeline of each recorded request, from the call to its end,
 * and records what the middleware throws. `messageOf` finds Node's request in the first argument.
 */
export function timeMiddleware<Context>(
  middleware: Middleware,
  messageOf: (context: Context) => object | undefined,
  category: 'middleware' | 'controller' = 'middleware',
): Middleware {
  const known = timed.get(middleware);
  if (known !== undefined) return known;
  // The middleware of Koa's router has no name.
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

/** Runs work with a bar in the timeline that ends when its promise settles; records what it throws. */
export function runTimed<Result>(exchange: Exchange, kind: number, work: () => Result): Result {
  const bar = exchange.enter(kind);
  const failed = (error: unknown): void => {
    exchange.leave(bar, 'failed');
    exchange.error(error);
  };
  try {
    const result = work();
    const done = (): void => exchange.leave(bar);
    if (result instanceof Promise) return followPromise(result, { done, failed }) as Result; // a promise of the same class, which settles in the same way
    done();
    return result;
  } catch (error) {
    failed(error);
    throw error;
  }
}
