import type { Exchange } from '../watch/exchange.js';
import { findExchange } from '../watch/exchange.js';
import { beginSpan, nameOfHandler, noteRoute } from '../watch/note-facts.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';

/** A layer of Express's router: a middleware, a mounted router, a route, or a handler of a route. */
interface Layer {
  readonly handle: (...args: never[]) => unknown;
  readonly name?: string;
  readonly method?: string;
  readonly route?: { readonly path: unknown };
}
/** Under which a function of ours has the router's own that it stands in for. */
const router = Symbol('next of the router');
interface Next {
  (error?: unknown): void;
  [router]?: Next;
}
type Routed = ForeignRequest & { readonly baseUrl?: string; readonly params?: unknown; next?: Next };
type Method = (this: Layer, ...args: unknown[]) => unknown;
type Prototype = Record<string, Method | undefined>;

/** What an application of Express 4 or 5 has of a router. */
interface ExpressApp {
  readonly _router?: { readonly stack?: readonly Layer[] };
  readonly router?: { readonly stack?: readonly Layer[] };
}

/** The methods of Express 5's layers, and of Express 4's. */
const methods = {
  request: ['handleRequest', 'handle_request'],
  error: ['handleError', 'handle_error'],
} as const;
const watchedLayers = new WeakMap<object, () => void>();

/**
 * Follows every layer that this copy of Express runs, once for all of its applications: middleware with its time, the
 * route and its parameters, the handler, and what is thrown. Requests that are not watched pass by. Gives what takes it back.
 */
export function watchLayers(app: unknown): (() => void) | undefined {
  const prototype = findPrototype(app);
  if (prototype === undefined) return undefined;
  const known = watchedLayers.get(prototype);
  if (known !== undefined) return known;
  const former = new Map<string, Method>();
  for (const [kind, names] of Object.entries(methods)) {
    const name = names.find((candidate) => typeof prototype[candidate] === 'function');
    const method = name === undefined ? undefined : prototype[name];
    if (name === undefined || method === undefined) continue;
    former.set(name, method);
    prototype[name] = function lookback(...args) {
      // A handler of four parameters answers errors only, any other requests only.
      const isTurn = (this.handle.length === 4) === (kind === 'error');
      const at = kind === 'error' ? 1 : 0;
      const request = args[at] as Routed; // (request, response, next), an error in front of them
      const exchange = isTurn ? findExchange(request) : undefined;
      if (exchange === undefined) return method.apply(this, args);
      const next = args[at + 2] as Next; // as above
      const following = follow({ layer: this, exchange, request, next });
      // The router leaves its `next` on the request as well, where `res.format` and applications take it for the same one.
      if (request.next !== undefined && (request.next[router] ?? request.next) === next) {
        following[router] = next;
        request.next = following;
      }
      args[at + 2] = following;
      return method.apply(this, args);
    };
  }
  const restore = (): void => {
    watchedLayers.delete(prototype);
    for (const [name, method] of former) prototype[name] = method;
  };
  watchedLayers.set(prototype, restore);
  return restore;
}

interface Step {
  readonly layer: Layer;
  readonly exchange: Exchange;
  readonly request: Routed;
  readonly next: Next;
}

/** Notes that a layer begins; gives the `next` by which it ends. */
function follow({ layer, exchange, request, next }: Step): Next {
  const { route } = layer;
  exchange.app ??= appOf(request); // the first: others may be mounted in it
  const method = request.method ?? '';
  if (route !== undefined) {
    noteRoute(exchange, { method, path: `${request.baseUrl ?? ''}${String(route.path)}` }, request.params);
    return (error) => {
      if (isError(error) && isLast(layer, exchange) && exchange.answerError(error)) return;
      next(error);
    };
  }
  const isHandler = layer.method !== undefined;
  const name = nameOfHandler(layer.handle, isHandler ? `${method} handler` : 'middleware');
  if (isHandler) exchange.recording.controller({ name }, []);
  const leave = beginSpan(exchange, { name, category: isHandler ? 'controller' : 'middleware' });
  return (error) => {
    leave(isError(error) ? 'failed' : undefined);
    if (isError(error)) {
      exchange.recording.error(error);
      if (isLast(layer, exchange) && exchange.answerError(error)) return;
    }
    next(error);
  };
}

/** `next('route')` and `next('router')` leave the route or the router. */
function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== 'route' && error !== 'router' && error !== false;
}

/** Whether no layer of the application behind this one answers errors. False for layers of inner routers. */
function isLast(layer: Layer, exchange: Exchange): boolean {
  const stack = stackOfApp(exchange.app) ?? [];
  const at = stack.indexOf(layer);
  return at !== -1 && !stack.slice(at + 1).some((later) => later.handle.length === 4);
}

function stackOfApp(app: unknown): readonly Layer[] | undefined {
  if (typeof app !== 'function') return undefined;
  const express = app as ExpressApp; // of others, neither is there
  // Express 4 keeps it as `_router`, and throws where `router` is read.
  return (express._router ?? ('lazyrouter' in app ? undefined : express.router))?.stack;
}

function findPrototype(app: unknown): Prototype | undefined {
  const layer = stackOfApp(app)?.[0];
  const prototype: unknown = layer === undefined ? undefined : Object.getPrototypeOf(layer);
  return typeof prototype === 'object' && prototype !== null ? (prototype as Prototype) : undefined; // its methods are looked for
}

/** The application that a request went through, which Express leaves on it. */
export function appOf(message: ForeignRequest | ForeignResponse): unknown {
  return (message as { app?: unknown }).app; // set by Express
}
