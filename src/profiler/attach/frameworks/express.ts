import type { IncomingMessage, ServerResponse } from 'node:http';
import { replaceMethod, shareUndo, type Undo, undoAll } from '#core/patches';
import { registerSpan } from '#profiler';
import { attachmentOf, type Detachable, makeDetachable } from '../attachment/attachment.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { type Exchange, findExchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { nameOfHandler, noteController, noteRoute } from '../watch/note-facts.js';
import { routesOfStack } from './declared-routes.js';
import { enterMount, mountPatternOf, type PathLayer } from './mount-pattern.js';

/** An Express router layer: a middleware, a mounted router, a route, or a route handler. */
interface Layer extends PathLayer {
  readonly handle: (...args: never[]) => unknown;
  readonly method?: string;
  readonly route?: { readonly path: unknown };
}
/** Key under which a wrapped `next` refers to the router's own `next`. */
const router = Symbol('next of the router');
interface Next {
  (error?: unknown): void;
  [router]?: Next;
}
type Routed = ForeignRequest & {
  readonly baseUrl?: unknown;
  readonly params?: unknown;
  readonly route?: Layer['route'];
  next?: Next;
};

/** An Express 4 or 5 application's router properties. */
interface ExpressApp {
  readonly _router?: { readonly stack?: readonly Layer[] };
  readonly router?: { readonly stack?: readonly Layer[] };
}

/** Watches all layers in one Express copy through their prototype: times, route, handler, and errors. */
export const watchLayers: (prototype: object) => () => void = shareUndo((prototype) => {
  const undoJson: Undo[] = [];
  const follow = (name: string, at: 0 | 1): Undo | undefined =>
    replaceMethod<Layer>(prototype, name, (former, args, layer) => {
      // Functions with four parameters only handle errors; all others only handle requests.
      if (answersErrors(layer) === (at === 1)) {
        const [request, response, next] = args.slice(at) as [Routed, object, Next]; // arguments that the router passes to every layer
        followJson(response, undoJson);
        args[at + 2] = followLayer(layer, request, next);
      }
      return Reflect.apply(former, layer, args);
    });
  return undoAll([
    follow('handleRequest', 0),
    follow('handleError', 1),
    follow('handle_request', 0), // for Express 4
    follow('handle_error', 1),
    () => undoAll(undoJson.splice(0))(),
  ]);
});

/** Intercepts Express's `response.json` to get the value that the response was made from. */
function followJson(response: object, undos: Undo[]): void {
  let holder: object | null = response;
  while (holder !== null && !Object.hasOwn(holder, 'json'))
    holder = Object.getPrototypeOf(holder) as object | null; // as documented
  const undo =
    holder === null
      ? undefined
      : replaceMethod<object>(holder, 'json', (former, args, self) => {
          const exchange = findExchange(self);
          if (exchange !== undefined && args.length === 1) exchange.answer.jsonValue = () => args[0];
          return Reflect.apply(former, self, args);
        });
  if (undo !== undefined) undos.push(undo);
}

/** Creates a watch that accepts any application and watches the layers in each Express copy it meets. */
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

/** Cached facts about a layer without a route. */
interface LayerNote {
  /** Empty for anonymous functions. */
  readonly name: string;
  readonly bar: number;
}
const layerNotes = new WeakMap<Layer, LayerNote>();

function layerNote(layer: Layer): LayerNote {
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

/** Records the start of a layer; returns a `next` that records its end. */
function followLayer(layer: Layer, request: Routed, next: Next): Next {
  const exchange = findExchange(request);
  if (exchange === undefined) return next;
  exchange.app ??= appOf(request); // the outermost application; others may be mounted in it
  const turn = turnOf(exchange);
  turn.isPassedOn = false;
  const bar = beginLayer(layer, request, exchange);
  const leave =
    layer.route === undefined && layer.method === undefined ? enterMount(request, layer) : undefined;
  const following: Next = (error) => {
    leave?.();
    turn.isPassedOn = !isError(error);
    if (!isError(error)) exchange.leave(bar);
    else {
      exchange.leave(bar, 'failed');
      exchange.error(error);
      if (isLast(layer, exchange) && exchange.answerError(error)) return;
    }
    next(error);
  };
  // The router also stores its `next` on the request, where `res.format` and applications expect the same function.
  if (request.next !== undefined && (request.next[router] ?? request.next) === next) {
    following[router] = next;
    request.next = following;
  }
  return following;
}

/** Whether a request's last layer passed it on. */
interface Turn {
  isPassedOn: boolean;
}
const turns = new WeakMap<Exchange, Turn>();

/** If every layer passed a request on and the response is a 404, no route has matched. */
function turnOf(exchange: Exchange): Turn {
  const before = turns.get(exchange);
  if (before !== undefined) return before;
  const turn: Turn = { isPassedOn: false };
  turns.set(exchange, turn);
  exchange.atEnd.push(() => {
    const { route, controller, recording, outgoing, app } = exchange;
    const stack = stackOfApp(app) ?? [];
    if (stack.length > 0) exchange.declareRoutes(stack, stack.length, () => routesOfStack(stack));
    const isMiss = turn.isPassedOn && route === undefined && controller === undefined;
    if (isMiss && outgoing.statusCode === 404) recording.route({ name: null, path: null });
  });
  return turn;
}

/** Starts a layer's timeline bar. Routes have none (−1), because their handlers are layers as well. */
function beginLayer(layer: Layer, request: Routed, exchange: Exchange): number {
  const { route, method } = layer;
  if (route !== undefined) {
    noteRoute(exchange, { method: request.method ?? '', path: layerPath(request, route) }, request.params);
    return -1;
  }
  const { name, bar } = layerNote(layer);
  if (method !== undefined) noteController(exchange, name === '' ? nameOfRoute(request) : name, layer.handle);
  return exchange.enter(bar);
}

function layerPath(request: Routed, route: Layer['route']): string {
  const base = mountPatternOf(request);
  // A route may have several paths.
  return [route?.path]
    .flat()
    .map((path) => `${base}${String(path)}`)
    .join(', ');
}

function nameOfRoute(request: Routed): string {
  return `${request.method} ${layerPath(request, request.route)}`;
}

/** Returns whether `next`'s argument is an error; `'route'` and `'router'` only leave the route or the router. */
function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== 'route' && error !== 'router' && error !== false;
}

/** Returns whether no later layer in the application handles errors. False for layers in inner routers. */
function isLast(layer: Layer, exchange: Exchange): boolean {
  const stack = stackOfApp(exchange.app) ?? [];
  const at = stack.indexOf(layer);
  return at !== -1 && !stack.slice(at + 1).some(answersErrors);
}

function stackOfApp(app: unknown): readonly Layer[] | undefined {
  if (typeof app !== 'function') return undefined;
  const express = app as ExpressApp; // other frameworks' applications have neither property
  // Express 4 has `_router`, and throws if `router` is read.
  return (express._router ?? ('lazyrouter' in app ? undefined : express.router))?.stack;
}

/** Returns the application that handles a request; Express stores it on the messages. */
export function appOf(message: ForeignRequest | ForeignResponse): unknown {
  return (message as { app?: unknown }).app; // set by Express
}

export type ExpressMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Creates the recording middleware for Express and Connect. */
export function createMiddleware(options?: AttachOptions): ExpressMiddleware & Detachable {
  const attachment = attachmentOf(options);
  const express = createExpressWatch();
  const middleware: ExpressMiddleware = (request, response, next) => {
    attachment.guarded(() => express.watch(appOf(request)), undefined);
    attachment.handle(request, response, next);
  };
  return makeDetachable(middleware, attachment, () => express.restore());
}
