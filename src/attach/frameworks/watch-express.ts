import { replaceMethod, shareUndo, undoAll } from '#patches';
import { registerSpan } from '#profiler';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { nameOfHandler, noteController, noteRoute } from '../watch/note-facts.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';

/** A layer of Express's router: a middleware, a mounted router, a route, or a handler of a route. */
interface Layer {
  readonly handle: (...args: never[]) => unknown;
  readonly method?: string;
  readonly route?: { readonly path: unknown };
}
/** Under which a function of ours has the router's own that it stands in for. */
const router = Symbol('next of the router');
interface Next {
  (error?: unknown): void;
  [router]?: Next;
}
type Routed = ForeignRequest & {
  readonly baseUrl?: string;
  readonly params?: unknown;
  readonly route?: Layer['route'];
  next?: Next;
};

/** What an application of Express 4 or 5 has of a router. */
interface ExpressApp {
  readonly _router?: { readonly stack?: readonly Layer[] };
  readonly router?: { readonly stack?: readonly Layer[] };
}

/**
 * Follows every layer that the copy of Express runs whose layers have the prototype given, once for all of its applications:
 * middleware with its time, the route and its parameters, the handler, and what is thrown. Requests that are not watched pass by.
 */
export const watchLayers: (prototype: object) => () => void = shareUndo((prototype) => {
  // The names of Express 5, and those of Express 4.
  const requests = ['handleRequest', 'handle_request'].map((name) =>
    replaceMethod<Layer>(prototype, name, (former, args, layer) => {
      const [request, , next] = args as [Routed, unknown, Next]; // what the router gives to every layer
      // Those of four parameters answer errors only, any other requests only.
      if (!answersErrors(layer)) args[2] = follow(layer, request, next);
      return Reflect.apply(former, layer, args);
    }),
  );
  const errors = ['handleError', 'handle_error'].map((name) =>
    replaceMethod<Layer>(prototype, name, (former, args, layer) => {
      const [, request, , next] = args as [unknown, Routed, unknown, Next]; // as above
      if (answersErrors(layer)) args[3] = follow(layer, request, next);
      return Reflect.apply(former, layer, args);
    }),
  );
  return undoAll([...requests, ...errors]);
});

/** Follows the layers of an application, as far as it is one of Express: whether this is a new copy of it. */
export function createExpressWatch(): { watch(app: unknown): void; restore(): void } {
  const restores = new Map<object, () => void>();
  return {
    watch(app) {
      const layer = stackOfApp(app)?.[0];
      const prototype: unknown = layer === undefined ? undefined : Object.getPrototypeOf(layer);
      if (typeof prototype === 'object' && prototype !== null && !restores.has(prototype))
        restores.set(prototype, watchLayers(prototype));
    },
    restore() {
      for (const restore of restores.values()) restore();
      restores.clear();
    },
  };
}

function answersErrors({ handle }: Layer): boolean {
  return handle.length === 4;
}

/** What is known of a layer without a route, worked out once. */
interface LayerNote {
  /** Empty where its function has none. */
  readonly name: string;
  readonly bar: number;
}
const layerNotes = new WeakMap<Layer, LayerNote>();

function noteOf(layer: Layer): LayerNote {
  let note = layerNotes.get(layer);
  if (note === undefined) {
    const category = layer.method === undefined ? 'middleware' : 'controller';
    const name = nameOfHandler(layer.handle, '');
    const shown = name !== '' ? name : category === 'controller' ? 'handler' : category;
    note = { name, bar: registerSpan({ name: shown, category }) };
    layerNotes.set(layer, note);
  }
  return note;
}

/** Notes that a layer begins; gives the `next` by which it ends. */
function follow(layer: Layer, request: Routed, next: Next): Next {
  const exchange = findExchange(request);
  if (exchange === undefined) return next;
  exchange.app ??= appOf(request); // the first: others may be mounted in it
  const bar = begin(layer, request, exchange);
  const following: Next = (error) => {
    if (!isError(error)) exchange.leave(bar);
    else {
      exchange.leave(bar, 'failed');
      exchange.error(error);
      if (isLast(layer, exchange) && exchange.answerError(error)) return;
    }
    next(error);
  };
  // The router leaves its `next` on the request as well, where `res.format` and applications take it for the same one.
  if (request.next !== undefined && (request.next[router] ?? request.next) === next) {
    following[router] = next;
    request.next = following;
  }
  return following;
}

/** The bar of a layer; none for a route, whose handlers are layers as well. */
function begin(layer: Layer, request: Routed, exchange: Exchange): number {
  const { route, method } = layer;
  if (route !== undefined) {
    noteRoute(exchange, { method: request.method ?? '', path: pathOf(request, route) }, request.params);
    return -1;
  }
  const { name, bar } = noteOf(layer);
  if (method !== undefined) noteController(exchange, name === '' ? nameOfRoute(request) : name);
  return exchange.enter(bar);
}

function pathOf({ baseUrl = '' }: Routed, route: Layer['route']): string {
  return `${baseUrl}${String(route?.path)}`;
}

/** Of the route whose handlers run, which Express leaves on the request. */
function nameOfRoute(request: Routed): string {
  return `${request.method} ${pathOf(request, request.route)}`;
}

/** `next('route')` and `next('router')` leave the route or the router. */
function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== 'route' && error !== 'router' && error !== false;
}

/** Whether no layer of the application behind this one answers errors. False for layers of inner routers. */
function isLast(layer: Layer, exchange: Exchange): boolean {
  const stack = stackOfApp(exchange.app) ?? [];
  const at = stack.indexOf(layer);
  return at !== -1 && !stack.slice(at + 1).some(answersErrors);
}

function stackOfApp(app: unknown): readonly Layer[] | undefined {
  if (typeof app !== 'function') return undefined;
  const express = app as ExpressApp; // of others, neither is there
  // Express 4 keeps it as `_router`, and throws where `router` is read.
  return (express._router ?? ('lazyrouter' in app ? undefined : express.router))?.stack;
}

/** The application that a request went through, which Express leaves on it. */
export function appOf(message: ForeignRequest | ForeignResponse): unknown {
  return (message as { app?: unknown }).app; // set by Express
}
