import type { Context, MiddlewareHandler } from 'hono';
import { replaceMethod } from '#core/patches';
import type { Detachable } from '../attachment/attachment.js';
import { createOnion, type NodeMessages } from '../attachment/create-onion.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { type Exchange, findCurrentExchange } from '../watch/exchange.js';
import { noteHandler, type Middleware, timeMiddleware } from '../watch/note-facts.js';

/** A handler or middleware that Hono's router found, with its route. Hono reads the tuple only when it calls the function. */
type MatchedHandler = [run: Middleware, route: { method: string; path: string; handler: unknown }];

/** Watches all routers of Hono's default class (`SmartRouter`): times the handlers that they find, and records the route. */
export function watchHono(prototype: object): (() => void) | undefined {
  return replaceMethod<object>(prototype, 'match', (former, args, router) => {
    const found = Reflect.apply(former, router, args);
    // The first call replaces the router's own `match` by that of the router it has chosen.
    replaceMethod(router, 'match', (own, query) => followMatch(Reflect.apply(own, router, query), query));
    return followMatch(found, args);
  });
}

function followMatch(found: unknown, [method]: readonly unknown[]): unknown {
  const exchange = findCurrentExchange();
  if (exchange === undefined) return found;
  const handlers = matchedHandlers(found);
  if (handlers.length === 0) return found;
  for (const handler of handlers) handler[0] = timeHandler(handler);
  const [list, stash] = found as [[unknown, Readonly<Record<string, unknown>>][], unknown]; // a result with handlers
  const locations = list.at(-1)?.[1] ?? {};
  const parameters: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // foreign keys
  for (const name of Object.keys(locations)) {
    const location = locations[name];
    parameters[name] = typeof location === 'number' && Array.isArray(stash) ? stash[location] : location;
  }
  noteHonoRoute(exchange, handlers, { method: String(method), parameters });
  return found;
}

/** Returns the handlers and middleware in a result of Hono's router. */
function matchedHandlers(found: unknown): readonly MatchedHandler[] {
  const list: unknown = Array.isArray(found) ? found[0] : undefined;
  const handlers: MatchedHandler[] = [];
  if (!Array.isArray(list)) return handlers;
  for (const [handler] of list as unknown[][]) if (isMatchedHandler(handler)) handlers.push(handler); // pairs of handler and parameters
  return handlers;
}

function isMatchedHandler(value: unknown): value is MatchedHandler {
  return Array.isArray(value) && typeof value[0] === 'function' && typeof value[1]?.path === 'string';
}

/** Whether it belongs to a route: middleware accepts all methods, and its path ends with a star. */
function isRoute([, { method, path }]: MatchedHandler): boolean {
  return method !== 'ALL' || !path.endsWith('*');
}

function timeHandler(handler: MatchedHandler): Middleware {
  const messageOf = ({ env }: { env?: { incoming?: object } }): object | undefined => env?.incoming; // set by @hono/node-server
  return timeMiddleware(handler[0], messageOf, isRoute(handler) ? 'controller' : 'middleware');
}

/** Records the route that answers: the last one that matched. */
function noteHonoRoute(
  exchange: Exchange,
  handlers: readonly MatchedHandler[],
  { method, parameters }: { readonly method: string; readonly parameters: unknown },
): void {
  const route = handlers.findLast(isRoute)?.[1];
  if (route === undefined) return;
  noteHandler(exchange, { method, path: route.path, handler: route.handler, parameters });
}

/** Creates the middleware of Hono that records. The application has `self` in its place. */
export function createMiddleware(
  options: AttachOptions | undefined,
  self: unknown,
): MiddlewareHandler & Detachable {
  return createOnion<Context>(options, {
    packages: ['hono', '@hono/node-server'],
    messagesOf,
    answer(context, page) {
      if (!context.finalized) return page.toWeb();
      context.res = undefined; // otherwise Hono would merge the headers of the former response
      context.res = page.toWeb();
      return undefined;
    },
    follow(context, next) {
      for (const handler of handlersFor(context)) if (handler[0] !== self) handler[0] = timeHandler(handler);
      return next();
    },
    caught: ({ error }) => error,
    note: (exchange, context) =>
      noteHonoRoute(exchange, handlersFor(context), {
        method: context.req.method,
        parameters: context.req.param(),
      }),
  }) as MiddlewareHandler & Detachable; // it resolves to the results of `answer` and `next`
}

/** Returns the handlers that the router found for a request; Hono stores them under a symbol that it does not export. */
function handlersFor({ req }: Context): readonly MatchedHandler[] {
  const prototype: unknown = Object.getPrototypeOf(req);
  const [symbol] = Object.getOwnPropertySymbols(prototype);
  return symbol === undefined ? [] : matchedHandlers(Reflect.get(req, symbol));
}

function messagesOf({ env }: Context): NodeMessages | undefined {
  const { incoming, outgoing } = (env ?? {}) as Partial<NodeMessages>; // set by @hono/node-server
  return incoming === undefined || outgoing === undefined ? undefined : { incoming, outgoing };
}
