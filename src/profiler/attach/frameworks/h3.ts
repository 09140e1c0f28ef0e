import type { H3Event as AppEvent, Middleware as H3Middleware } from 'h3';
import { replaceMethod, type Undo, watchConstruction } from '#core/patches';
import type { Detachable } from '../attachment/attachment.js';
import { createOnion, type NodeMessages } from '../attachment/create-onion.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { type Exchange, findExchange, findCurrentExchange, statusOfError } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { noteHandler, type Middleware, timeMiddleware } from '../watch/note-facts.js';

/** An h3 application's middleware list, and the functions that h3 composed from it. */
interface H3App {
  '~middleware'?: Middleware[];
  '~dispatch'?: unknown;
  '~composed'?: unknown;
}

interface H3Route {
  readonly route?: string;
  readonly handler: Middleware;
  /** Composed by h3 from the handler and the route's middleware. */
  readonly '~composed'?: unknown;
}

interface H3Match {
  readonly data?: H3Route | undefined;
  readonly params?: unknown;
}

/** The properties of an h3 event on Node (created by srvx) that are used. */
export interface H3Event {
  readonly req: { readonly method: string };
  readonly runtime?: { readonly node?: { readonly req?: object } | undefined } | undefined;
}
const incomingOf = ({ runtime }: H3Event): object | undefined => runtime?.node?.req;

/** Number of timed middleware per application; more may be added later. */
const timedCounts = new WeakMap<H3App, number>();

/**
 * Replaces an application's middleware, except `own`, with timed wrappers. Without a recording they only pass calls on.
 */
function timeApp(app: H3App, own?: unknown): void {
  const list = app['~middleware'] ?? [];
  if (timedCounts.get(app) === list.length) return;
  timedCounts.set(app, list.length);
  list.splice(0, Infinity, ...list.map((one) => (one === own ? one : timeMiddleware(one, incomingOf))));
  app['~dispatch'] = app['~composed'] = undefined; // as h3 does when a middleware is added
}

/** Watches all `H3` applications through their prototype: records middleware and handler times and errors, and the route. */
export function watchH3(prototype: object): Undo | undefined {
  return replaceMethod<H3App>(prototype, '~findRoute', (former, args, app) => {
    const found = Reflect.apply(former, app, args) as H3Match | undefined; // the result type of `~findRoute`
    const [event] = args as [H3Event]; // `~findRoute`'s only argument
    const exchange = findExchange(incomingOf(event) ?? {});
    if (exchange === undefined) return found;
    timeApp(app);
    if (found?.data === undefined) return found;
    noteH3Route(exchange, event, found);
    const handler = timeMiddleware(found.data.handler, incomingOf, 'controller');
    return { ...found, data: { ...found.data, handler, '~composed': undefined } };
  });
}

function noteH3Route(exchange: Exchange, { req: { method } }: H3Event, { data, params }: H3Match): void {
  if (data?.route === undefined) return;
  noteHandler(exchange, { method, path: data.route, handler: data.handler, parameters: params });
}

/** The properties of an h3 1 event that are used. */
interface H3OneEvent {
  readonly node: { readonly req: object };
  readonly method: string;
  readonly context: {
    readonly matchedRoute?: { readonly path: string; readonly handlers: Readonly<Record<string, unknown>> };
    readonly params?: unknown;
  };
}

type H3OneRoute = H3OneEvent['context']['matchedRoute'];

/** A path read from an event. While a mounted handler runs, the path lacks the handler's base. */
interface PathRead {
  readonly path: string;
  /** The route found by then. */
  readonly route: H3OneRoute;
}
/** Distinct paths read from each event. Bounded. */
const pathReads = new WeakMap<H3OneEvent, PathRead[]>();
const maxPathReads = 20;

/** Watches h3 1 through the prototype of its events, whose only member used by its router is the `path` getter. */
export function watchH3Events(prototype: object): Undo | undefined {
  const own = Object.getOwnPropertyDescriptor(prototype, 'path');
  if (own?.get === undefined) return undefined;
  const former = Reflect.get(own, 'get') as () => unknown; // checked above
  const get = function path(this: H3OneEvent): unknown {
    const path = Reflect.apply(former, this, []);
    if (typeof path === 'string') notePath(this, path);
    return path;
  };
  Object.defineProperty(prototype, 'path', { ...own, get });
  return () => {
    if (Object.getOwnPropertyDescriptor(prototype, 'path')?.get === get)
      Object.defineProperty(prototype, 'path', own);
  };
}

function notePath(event: H3OneEvent, path: string): void {
  let reads = pathReads.get(event);
  if (reads === undefined) pathReads.set(event, (reads = watchEvent(event)));
  const route = event.context.matchedRoute;
  const last = reads.at(-1);
  if (last !== undefined && last.path === path && last.route === route) return;
  if (reads.length < maxPathReads) reads.push({ path, route });
}

function watchEvent(event: H3OneEvent): PathRead[] {
  const reads: PathRead[] = [];
  const exchange = findExchange(event.node.req);
  exchange?.atEnd.push(() => {
    const { method, context } = event;
    const { matchedRoute: route, params: parameters } = context;
    if (route === undefined) return;
    const handler = route.handlers[method.toLowerCase()] ?? route.handlers['all'];
    const path = baseOfRoute(exchange.request.path, route, reads) + route.path;
    noteHandler(exchange, { method, path, handler, parameters });
  });
  return reads;
}

/** Returns the path prefix that `app.use` and `useBase` removed before the router saw the path. */
function baseOfRoute(whole: string, route: H3OneRoute, reads: readonly PathRead[]): string {
  const read = reads.findLast((one) => one.route !== route);
  const asked = read?.path.replace(/[?#].*$/, '') ?? whole;
  if (!whole.endsWith(asked)) return '';
  const base = whole.slice(0, whole.length - asked.length);
  // An outer router that led to this one knows that prefix's pattern.
  const outer = read?.route?.path.replace(/\/\*\*.*$/, '');
  return outer !== undefined && outer.split('/').length === base.split('/').length ? outer : base;
}

/** The last `H3Error` created for each request, from which h3 1 responds. */
const errors = new WeakMap<Exchange, H3Error>();
type H3Error = Error & { readonly unhandled: boolean };

/**
 * Watches the construction of h3 1's `H3Error` through its prototype: h3 converts everything a handler throws to one.
 */
export function watchH3Errors(prototype: object): Undo | undefined {
  return watchConstruction(prototype, (made) => {
    const exchange = findCurrentExchange();
    if (exchange === undefined) return;
    if (!errors.has(exchange)) exchange.atEnd.push(() => noteError(exchange, errors.get(exchange)));
    errors.set(exchange, made as H3Error); // an instance from the watched class
  });
}

function noteError(exchange: Exchange, error: H3Error | undefined): void {
  const status = statusOfError(error);
  // The error may have been caught, or be h3's own 404 for a request without a route.
  if (error === undefined || status !== exchange.outgoing.statusCode) return;
  if (status === 404 && exchange.route === undefined) return;
  const { message, cause, stack } = error;
  // If h3 wrapped a thrown error, that is the cause; otherwise h3 copied its cause and, behind a getter, its stack.
  const isCause = cause instanceof Error && cause.message === message;
  exchange.error(
    isCause ? cause : error.unhandled ? Object.assign(new Error(message, { cause }), { stack }) : error,
  );
}

/** Creates the recording middleware for h3. The application knows it as `self`. */
export function createMiddleware(
  options: AttachOptions | undefined,
  self: unknown,
): H3Middleware & Detachable {
  return createOnion<AppEvent>(options, {
    packages: ['h3'],
    messagesOf,
    answer: (_event, page) => page.toWeb(),
    follow(event, next) {
      if (event.app !== undefined) timeApp(event.app, self);
      return next();
    },
    note: (exchange, event) =>
      noteH3Route(exchange, event, { data: event.context.matchedRoute, params: event.context.params }),
  }) as H3Middleware & Detachable; // h3's `next` may return a plain value, which can be awaited as well
}

function messagesOf({ runtime }: AppEvent): NodeMessages | undefined {
  const { req, res } = runtime?.node ?? {};
  if (req === undefined || res === undefined) return undefined;
  return { incoming: req as ForeignRequest, outgoing: res as ForeignResponse }; // on Node, both are messages of HTTP/1.1 or HTTP/2
}
