import type { Context, MiddlewareHandler } from 'hono';
import { replaceMethod, type Undo } from '#core/patches';
import type { Detachable } from '../attachment/attachment.js';
import { createOnion, type NodeMessages } from '../attachment/create-onion.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { type Exchange, findCurrentExchange, findExchange } from '../watch/exchange.js';
import { pathBelow, routesOfHono } from './declared-routes.js';
import { findInstances } from './find-instances.js';
import { noteHandler, type Middleware, timeMiddleware } from '../watch/note-facts.js';

/**
 * A handler or middleware found by Hono's router, with its route. Hono reads the tuple only when it calls the function.
 */
type MatchedHandler = [run: Middleware, route: { method: string; path: string; handler: unknown }];

/** Watches all instances of Hono's default router class (`SmartRouter`): times the handlers they find, and records the route. */
export function watchHono(prototype: object): (() => void) | undefined {
  const undo = replaceMethod<object>(prototype, 'match', (former, args, router) => {
    const outer = adding;
    adding = [];
    try {
      const found = Reflect.apply(former, router, args);
      added.set(router, adding);
      // On the first call, the router replaces its own `match` with the selected router's.
      followRouter(router);
      return followMatch(found, args, router);
    } finally {
      adding = outer;
    }
  });
  if (undo !== undefined && !searched.has(prototype)) unsearched.add(prototype);
  return undo;
}

/** Routes that `SmartRouter` has added to the router it selected: method, path, and handler. */
const added = new WeakMap<object, readonly (readonly unknown[])[]>();
/** Collects the routes added during the first `match` call, which is synchronous; the router then forgets them. */
let adding: (readonly unknown[])[] | undefined;

/** Watches the routes added to the routers among which `SmartRouter` selects. */
export function watchHonoRoutes(prototype: object): Undo | undefined {
  return replaceMethod<object>(prototype, 'add', (former, args, router) => {
    adding?.push(args);
    return Reflect.apply(former, router, args);
  });
}

function followRouter(router: object): Undo | undefined {
  return replaceMethod(router, 'match', (own, query) =>
    followMatch(Reflect.apply(own, router, query), query, router),
  );
}

/** Classes not yet searched for routers that selected their `match` before they were watched. */
const unsearched = new Set<object>();
/**
 * Classes that are not searched again when another server is watched after the last one closed: programs that often start
 * servers, such as tests, would wait each time, the longer the larger their heap.
 */
const searched = new WeakSet<object>();

/**
 * Finds routers that selected their `match` before a server listened (by `app.request`), at the end of a request that
 * no watched router has seen, and records its route. Searches once per class, because that takes tens of milliseconds,
 * and longer the larger the heap is.
 */
export function noteChosenRouters(exchange: Exchange): void {
  if (unsearched.size === 0 || exchange.route !== undefined || mountedPaths.has(exchange)) return;
  const { method, path } = exchange.request;
  for (const prototype of unsearched) {
    unsearched.delete(prototype);
    searched.add(prototype);
    const routers = findInstances(prototype).filter((router) => Object.hasOwn(router, 'match'));
    const fresh = routers.filter((router) => followRouter(router) !== undefined);
    for (const router of fresh) {
      // Among several applications, picks one with a matching route.
      if (exchange.route !== undefined) break;
      const match: unknown = Reflect.get(router, 'match');
      if (typeof match === 'function')
        exchange.run(() => Reflect.apply(match, router, [method === 'HEAD' ? 'GET' : method, path]));
      if (exchange.route === undefined) mountedPaths.delete(exchange);
    }
  }
}

/** The path that a mounted application sees, without the prefix matched by the outer one. */
interface MountedPath {
  readonly path: string;
  /** The matched prefix's pattern. */
  readonly pattern: string;
}

/** Inner applications' possible mount paths, per request, once its own application has looked up the route. */
const mountedPaths = new WeakMap<Exchange, readonly MountedPath[]>();

function followMatch(found: unknown, [method, path]: readonly unknown[], router: object): unknown {
  const exchange = findCurrentExchange();
  if (exchange === undefined || typeof path !== 'string') return found;
  const handlers = matchedHandlers(found);
  for (const handler of handlers) handler[0] = timeHandler(handler);
  const mounted = findMounted(exchange, path);
  // If the lookup comes from `app.request`, the record still belongs to the incoming request.
  if (mounted === undefined) return found;
  const calls = added.get(router) ?? [];
  if (calls.length > 0)
    exchange.declareRoutes(router, calls.length, () => routesOfHono(calls, mounted.pattern));
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

/** Returns where the application looking up a path is mounted; undefined if it does not handle this exchange. */
function findMounted(exchange: Exchange, path: string): MountedPath | undefined {
  const mounted = mountedPaths.get(exchange);
  if (mounted !== undefined) return mounted.find((one) => one.path === path);
  const isAll = exchange.route === undefined || exchange.request.path.endsWith(path);
  return isAll ? { path, pattern: '' } : undefined;
}

/** Returns the paths that `app.mount` may pass on: without the prefix matched by its pattern, or whole. */
function pathsBelow(handlers: readonly MatchedHandler[], outer: MountedPath): readonly MountedPath[] {
  const below = handlers.flatMap(([, route]): readonly MountedPath[] => {
    if (route.method !== 'ALL' || !/[^/]\/\*$/.test(route.path)) return [];
    const base = route.path.slice(0, -2);
    const rest = outer.path.split('/').slice(base.split('/').length).join('/');
    return [{ path: `/${rest}`, pattern: outer.pattern + base }];
  });
  return [...below, outer];
}

/** Returns the handlers and middleware in a Hono router's result. */
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

/** Returns whether a handler belongs to a route. Middleware accepts all methods, and its path ends with a star. */
function isRoute([, { method, path }]: MatchedHandler): boolean {
  return method !== 'ALL' || !path.endsWith('*');
}

interface JsonContext {
  readonly env?: { readonly incoming?: object };
  readonly json?: unknown;
}

/** Intercepts `context.json` to get the value that the response was made from. */
function followJson(context: JsonContext, incoming: object): void {
  if (typeof context.json !== 'function') return;
  replaceMethod(context, 'json', (former, args, self) => {
    const exchange = findExchange(incoming);
    if (exchange !== undefined) exchange.answer.jsonValue = () => args[0];
    return Reflect.apply(former, self, args);
  });
}

function timeHandler(handler: MatchedHandler): Middleware {
  const messageOf = (context: JsonContext): object | undefined => {
    const incoming = context.env?.incoming; // set by @hono/node-server
    if (incoming !== undefined) followJson(context, incoming);
    return incoming;
  };
  return timeMiddleware(handler[0], messageOf, isRoute(handler) ? 'controller' : 'middleware');
}

/** Records the route that responds: the last one that matched. */
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
  const path = pathBelow(base, route.path);
  noteHandler(exchange, { method, path, handler: route.handler, parameters });
}

/** Creates the recording middleware for Hono. The application knows it as `self`. */
export function createMiddleware(
  options: AttachOptions | undefined,
  self: unknown,
): MiddlewareHandler & Detachable {
  return createOnion<Context>(options, {
    packages: ['hono', '@hono/node-server'],
    messagesOf,
    answer(context, page) {
      if (!context.finalized) return page.toWeb();
      context.res = undefined; // otherwise Hono would merge the previous response's headers
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
  }) as MiddlewareHandler & Detachable; // it resolves to what `answer` and `next` return
}

/**
 * Returns the handlers that the router found for a request; Hono stores them under a symbol that it does not export.
 */
function handlersFor({ req }: Context): readonly MatchedHandler[] {
  const prototype: unknown = Object.getPrototypeOf(req);
  const [symbol] = Object.getOwnPropertySymbols(prototype);
  return symbol === undefined ? [] : matchedHandlers(Reflect.get(req, symbol));
}

function messagesOf({ env }: Context): NodeMessages | undefined {
  const { incoming, outgoing } = (env ?? {}) as Partial<NodeMessages>; // set by @hono/node-server
  return incoming === undefined || outgoing === undefined ? undefined : { incoming, outgoing };
}
