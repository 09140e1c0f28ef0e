import { replaceMethod } from '#patches';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { type Middleware, timeMiddleware } from '../watch/timed-middleware.js';

type Rest = (context: object) => Promise<unknown>;

/** What an application of Koa 3 has of its middleware. */
interface KoaApp {
  readonly middleware?: readonly Middleware[];
  compose?(middleware: readonly unknown[]): Rest;
}

/** A context of Koa, with what routers leave in it (`@koa/router`). */
export interface RoutedContext {
  readonly req: object;
  readonly method: string;
  readonly _matchedRoute?: unknown;
  readonly _matchedRouteName?: unknown;
  readonly params?: unknown;
  readonly matched?: readonly { readonly stack?: readonly unknown[] }[];
}

/**
 * Composes the middleware of an application again, by Koa's own function, with the time of each: Koa does not expose what it
 * has composed. With `own`, only what comes behind that. Undefined where it cannot be done.
 */
export function createTimedRest(own?: unknown): (app: object) => Rest | undefined {
  const known = new WeakMap<object, { readonly list: readonly Middleware[]; readonly rest: Rest }>();
  return (app: KoaApp) => {
    const { middleware = [] } = app;
    const found = known.get(app);
    // Koa runs what is added later as well.
    if (found?.list.length === middleware.length && found.list.every((one, at) => one === middleware[at]))
      return found.rest;
    const begin = own === undefined ? 0 : middleware.findIndex((one) => one === own) + 1;
    if (app.compose === undefined || (own !== undefined && begin === 0)) return undefined;
    const messageOf = ({ req }: RoutedContext): object => req;
    const rest = app.compose(middleware.slice(begin).map((one) => timeMiddleware(one, messageOf)));
    known.set(app, { list: [...middleware], rest });
    return rest;
  };
}

/** Every application of the Koa whose prototype is given: its middleware with their times, what they throw, and the route. */
export function watchKoa(prototype: object): (() => void) | undefined {
  const restOf = createTimedRest();
  return replaceMethod<object>(prototype, 'handleRequest', (former, args, app) => {
    const [context, whole] = args as [RoutedContext, Rest]; // what Koa's own callback gives it
    const exchange = findExchange(context.req);
    if (exchange === undefined) return Reflect.apply(former, app, args);
    exchange.atEnd.push(() => noteKoaRoute(exchange, context));
    return Reflect.apply(former, app, [context, restOf(app) ?? whole]);
  });
}

/** Notes route and handler, once they are known. */
export function noteKoaRoute(exchange: Exchange, context: RoutedContext): void {
  const { method, _matchedRoute: path, _matchedRouteName: name, params, matched } = context;
  if (typeof path !== 'string' && !(path instanceof RegExp)) return;
  noteHandler(exchange, {
    method,
    path: String(path),
    name: typeof name === 'string' ? name : undefined,
    parameters: params,
    handler: matched?.at(-1)?.stack?.at(-1),
  });
}
