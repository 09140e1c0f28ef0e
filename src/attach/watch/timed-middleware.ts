import { findExchange } from './exchange.js';
import { beginSpan, nameOfHandler } from './note-facts.js';

type Middleware = (...args: never[]) => unknown;

/** Timed ones by those that they stand for, and by themselves. */
const timed = new WeakMap<Middleware, Middleware>();

/**
 * A middleware that is the given one in all, but for a bar in the timeline of each recorded request, from its call to its end.
 * `messageOf` finds Node's request in its first argument.
 */
export function timeMiddleware<Context>(
  middleware: Middleware,
  messageOf: (context: Context) => object | undefined,
): Middleware {
  const known = timed.get(middleware);
  if (known !== undefined) return known;
  const span = { name: nameOfHandler(middleware, 'middleware'), category: 'middleware' };
  const apply = (work: Middleware, self: unknown, args: [Context, ...never]): unknown => {
    const message = messageOf(args[0]);
    const exchange = message === undefined ? undefined : findExchange(message);
    if (exchange === undefined) return Reflect.apply(work, self, args);
    const leave = beginSpan(exchange, span);
    try {
      const result: unknown = Reflect.apply(work, self, args);
      if (result instanceof Promise)
        result.then(
          () => leave(),
          () => leave('failed'),
        );
      else leave();
      return result;
    } catch (error) {
      leave('failed');
      throw error;
    }
  };
  const proxy = new Proxy(middleware, { apply });
  timed.set(middleware, proxy).set(proxy, proxy);
  return proxy;
}
