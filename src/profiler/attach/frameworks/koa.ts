import { EventEmitter } from 'node:events';
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import { replaceMethod, type Undo, undoAll } from '#core/patches';
import type { Detachable } from '../attachment/attachment.js';
import { createOnion } from '../attachment/create-onion.js';
import { sendResponse } from '../pages/attached-pages.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { routesOfMiddleware } from './declared-routes.js';
import { noteFeathers } from './feathers.js';
import { findInstances } from './find-instances.js';
import { noteHandler, type Middleware, timeMiddleware } from '../watch/note-facts.js';

type Rest = (context: object) => Promise<unknown>;

/** A Koa application's middleware properties. */
interface KoaApp {
  readonly middleware?: readonly Middleware[];
  /** Absent in Koa 2. */
  compose?(middleware: readonly Middleware[]): Rest;
}

/** A Koa context with the properties set by `@koa/router`. */
interface RoutedContext {
  readonly req: object;
  readonly method: string;
  readonly body?: unknown;
  readonly _matchedRoute?: unknown;
  readonly _matchedRouteName?: unknown;
  readonly params?: unknown;
  /** Set by Feathers. */
  readonly lookup?: unknown;
  readonly hook?: unknown;
  readonly matched?: readonly { readonly stack?: readonly unknown[] }[];
}

/**
 * Composes timed wrappers of an application's middleware, because Koa does not expose the composed function. With
 * `own`, composes only the middleware after it; undefined if the application does not contain `own`.
 */
function createTimedRest(own?: unknown): (app: object) => Rest | undefined {
  const known = new WeakMap<object, { readonly list: readonly Middleware[]; readonly rest: Rest }>();
  return (app: KoaApp) => {
    const { middleware = [] } = app;
    const found = known.get(app);
    // Middleware may be added later.
    if (found?.list.length === middleware.length && found.list.every((one, at) => one === middleware[at]))
      return found.rest;
    const begin = own === undefined ? 0 : middleware.findIndex((one) => one === own) + 1;
    if (own !== undefined && begin === 0) return undefined;
    const messageOf = ({ req }: RoutedContext): object => req;
    const wrappers = middleware.slice(begin).map((one) => timeMiddleware(one, messageOf));
    const rest = app.compose?.(wrappers) ?? composeAsKoa2(wrappers);
    known.set(app, { list: [...middleware], rest });
    return rest;
  };
}

/**
 * Composes like Koa 2, which keeps its function to itself: each middleware receives a function that calls the next one.
 */
function composeAsKoa2(middleware: readonly Middleware[]): Rest {
  return (context) => {
    let last = -1;
    const call = async (at: number): Promise<unknown> => {
      if (at <= last) throw new Error('next() called multiple times');
      last = at;
      return middleware[at]?.(...([context, () => call(at + 1)] as never[])); // a Koa middleware's arguments
    };
    return call(0);
  };
}

/** Watches all Koa applications through their prototype: records middleware times and errors, and the route. */
export function watchKoa(prototype: object): (() => void) | undefined {
  const restOf = createTimedRest();
  return replaceMethod<object>(prototype, 'handleRequest', (former, args, app) => {
    const [context, whole] = args as [RoutedContext, Rest]; // the arguments that Koa's callback passes
    const exchange = findExchange(context.req);
    if (exchange === undefined) return Reflect.apply(former, app, args);
    exchange.atEnd.push(() => {
      noteKoaRoute(exchange, context);
      declareKoaRoutes(exchange, app);
    });
    exchange.answer.jsonValue = () => context.body;
    return Reflect.apply(former, app, [context, restOf(app) ?? whole]);
  });
}

/**
 * Returns the prototype of the Koa application whose `callback()` is a server's listener. For a copy in a bundle, which is
 * not among the loaded modules: the listener is recognized by its text, because bundlers keep the names of methods, and
 * its application, which no object refers to, is searched in the heap.
 */
export function findKoaOf(listener: Function): object | undefined {
  const text = Function.prototype.toString.call(listener);
  if (text.length > 500 || !/\.createContext\(.*\.handleRequest\(/s.test(text)) return undefined;
  const app = findInstances(EventEmitter.prototype).find(
    (one) => 'handleRequest' in one && 'createContext' in one && 'middleware' in one,
  );
  let owner: object | undefined = app;
  while (owner !== undefined && !Object.hasOwn(owner, 'handleRequest'))
    owner = (Object.getPrototypeOf(owner) as object | null) ?? undefined; // as documented
  return owner;
}

/**
 * Watches applications that have Koa's methods as own properties, through the shared context prototype: Feathers copies
 * the methods when it creates the application, before a server listens. Watching begins with an application's first
 * context.
 */
export function watchKoaContexts(prototype: object): Undo | undefined {
  if (Object.hasOwn(prototype, 'app')) return undefined;
  const undos: Undo[] = [];
  const set = function app(this: object, given: unknown): void {
    Object.defineProperty(this, 'app', {
      value: given,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'handleRequest')) return;
    const undo = watchKoa(given);
    if (undo !== undefined) undos.push(undo);
  };
  if (!Reflect.defineProperty(prototype, 'app', { set, configurable: true })) return undefined;
  return () => {
    if (Object.getOwnPropertyDescriptor(prototype, 'app')?.set === set)
      Reflect.deleteProperty(prototype, 'app');
    undoAll(undos)();
  };
}

function declareKoaRoutes(exchange: Exchange, { middleware = [] }: KoaApp): void {
  exchange.declareRoutes(middleware, middleware.length, () => routesOfMiddleware(middleware));
}

/** Records route and handler if `@koa/router` has found them. */
function noteKoaRoute(exchange: Exchange, context: RoutedContext): void {
  const { method, _matchedRoute: path, _matchedRouteName: name, params, matched, lookup, hook } = context;
  if (path === undefined) noteFeathers(exchange, method, { lookup, hook });
  if (typeof path !== 'string' && !(path instanceof RegExp)) return;
  noteHandler(exchange, {
    method,
    path: String(path),
    name: typeof name === 'string' ? name : undefined,
    parameters: params,
    handler: matched?.at(-1)?.stack?.at(-1),
  });
}

type Context = ParameterizedContext;

/** Creates the recording middleware for Koa. The application knows it as `self`. */
export function createMiddleware(
  options: AttachOptions | undefined,
  self: unknown,
): KoaMiddleware & Detachable {
  const restOf = createTimedRest(self);
  return createOnion<Context>(options, {
    packages: ['koa'],
    messagesOf: ({ req, res }) => ({ incoming: req, outgoing: res }),
    async answer(ctx, page) {
      ctx.respond = false;
      await sendResponse(ctx.res, page).catch(() => undefined); // the client has disconnected
    },
    follow(ctx, next) {
      const exchange = findExchange(ctx.req);
      if (exchange !== undefined) exchange.answer.jsonValue = () => ctx.body;
      return restOf(ctx.app)?.(ctx) ?? next();
    },
    note: (exchange, context) => {
      noteKoaRoute(exchange, context);
      declareKoaRoutes(exchange, context.app);
    },
  });
}
