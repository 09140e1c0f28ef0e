import type { Context, MiddlewareHandler } from 'hono';
import { replaceMethod, type Undo } from '#core/patches';
import type { Detachable } from '../attachment/attachment.js';
import { createOnion, type NodeMessages } from '../attachment/create-onion.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { type Exchange, findCurrentExchange } from '../watch/exchange.js';
import { findInstances } from './find-instances.js';
import { noteHandler, type Middleware, timeMiddleware } from '../watch/note-facts.js';

/** A handler or middleware that Hono's router found, with its route. Hono reads the tuple only when it calls the function. */
type MatchedHandler = [run: Middleware, route: { method: string; path: string; handler: unknown }];

/** Watches all routers of Hono's default class (`SmartRouter`): times the handlers that they find, and records the route. */
export function watchHono(prototype: object): (() => void) | undefined {
  const undo = replaceMethod<object>(prototype, 'match', (former, args, router) => {
    const found = Reflect.apply(former, router, args);
    // The first call replaces the router's own `match` by that of the router it has chosen.
    followRouter(router);
    return followMatch(found, args);
  });
  if (undo !== undefined) unsearched.add(prototype);
  return undo;
}

function followRouter(router: object): Undo | undefined {
  return replaceMethod(router, 'match', (own, query) =>
    followMatch(Reflect.apply(own, router, query), query),
  );
}

/** The classes of which no router was looked for yet that had chosen its `match` before it was watched. */
const unsearched = new Set<object>();

/**
 * Finds the routers of applications that answered a request (`app.request`) before a server listened, when a request ends
 * that no watched router has seen, and records its route. Once: it takes tens of milliseconds.
 */
export function noteChosenRouters(exchange: Exchange): void {
  if (unsearched.size === 0 || exchange.route !== undefined || mountedPaths.has(exchange)) return;
  const { method, path } = exchange.request;
  for (const prototype of unsearched) {
    unsearched.delete(prototype);
    const routers = findInstances(prototype).filter((router) => Object.hasOwn(router, 'match'));
    const fresh = routers.filter((router) => followRouter(router) !== undefined);
    for (const router of fresh) {
      // Of several applications, one whose route matches is asked.
      if (exchange.route !== undefined) break;
      const match: unknown = Reflect.get(router, 'match');
      if (typeof match === 'function')
        exchange.run(() => Reflect.apply(match, router, [method === 'HEAD' ? 'GET' : method, path]));
      if (exchange.route === undefined) mountedPaths.delete(exchange);
    }
  }
}

/** What a mounted application is asked for below the part of the path that the outer one has matched. */
interface MountedPath {
  readonly path: string;
  /** The pattern of the part that was matched. */
  readonly pattern: string;
}

/** What applications may be mounted below, for each request, once its own application has looked for the route. */
const mountedPaths = new WeakMap<Exchange, readonly MountedPath[]>();

function followMatch(found: unknown, [method, path]: readonly unknown[]): unknown {
  const exchange = findCurrentExchange();
  if (exchange === undefined || typeof path !== 'string') return found;
  const handlers = matchedHandlers(found);
  for (const handler of handlers) handler[0] = timeHandler(handler);
  const mounted = findMounted(exchange, path);
  // The application was asked by itself, or by another one (`app.request`): the record is that of the request that came in.
  if (mounted === undefined) return found;
  const isAnswered = handlers.some(isRoute);
  mountedPaths.set(exchange, isAnswered ? [] : pathsBelow(handlers, { path, pattern: mounted.pattern }));
  if (!isAnswered) return found;
  const [list, stash] = found as [[unknown, Readonly<Record<string, unknown>>][], unknown]; // a result with handlers
  const locations = list.at(-1)?.[1] ?? {};
  const parameters: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // foreign keys
  for (const name of Object.keys(locations)) {
    const location = locations[name];
    parameters[name] = typeof location === 'number' && Array.isArray(stash) ? stash[location] : location;
  }
  noteHonoRoute(exchange, handlers, { method: String(method), parameters, base: mounted.pattern });
  return found;
}

/** Where an application that is asked for a path is mounted; undefined if it does not answer the request of the exchange. */
function findMounted(exchange: Exchange, path: string): MountedPath | undefined {
  const mounted = mountedPaths.get(exchange);
  if (mounted !== undefined) return mounted.find((one) => one.path === path);
  const isAll = exchange.route === undefined || exchange.request.path.endsWith(path);
  return isAll ? { path, pattern: '' } : undefined;
}

/** What `app.mount` passes on: the path without the part that its pattern matched, or all of it. */
function pathsBelow(handlers: readonly MatchedHandler[], outer: MountedPath): readonly MountedPath[] {
  const below = handlers.flatMap(([, route]): readonly MountedPath[] => {
    if (route.method !== 'ALL' || !/[^/]\/\*$/.test(route.path)) return [];
    const base = route.path.slice(0, -2);
    const rest = outer.path.split('/').slice(base.split('/').length).join('/');
    return [{ path: `/${rest}`, pattern: outer.pattern + base }];
  });
  return [...below, outer];
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
  {
    method,
    parameters,
    base = '',
  }: { readonly method: string; readonly parameters: unknown; readonly base?: string },
): void {
  const route = handlers.findLast(isRoute)?.[1];
  if (route === undefined) return;
  const path = base !== '' && route.path === '/' ? base : base + route.path;
  noteHandler(exchange, { method, path, handler: route.handler, parameters });
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
