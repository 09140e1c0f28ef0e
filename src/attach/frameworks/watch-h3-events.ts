import { type Undo, watchConstruction } from '#patches';
import { type Exchange, findCurrentExchange, findExchange, statusOfError } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';

/** The properties of an h3 1 event that are read here. */
interface H3Event {
  readonly node: { readonly req: object };
  readonly method: string;
  readonly context: {
    readonly matchedRoute?: { readonly path: string; readonly handlers: Readonly<Record<string, unknown>> };
    readonly params?: unknown;
  };
}

/** Events that are already watched. */
const watched = new WeakSet<H3Event>();

/**
 * Watches the events of h3 1 by their prototype: records route and handler, which the router stores on the event. The
 * `path` getter is replaced because the router calls nothing else that could be intercepted.
 */
export function watchH3Events(prototype: object): Undo | undefined {
  const own = Object.getOwnPropertyDescriptor(prototype, 'path');
  if (own?.get === undefined) return undefined;
  const former = Reflect.get(own, 'get') as () => unknown; // checked above
  const get = function path(this: H3Event): unknown {
    if (!watched.has(this)) watchEvent(this);
    return Reflect.apply(former, this, []);
  };
  Object.defineProperty(prototype, 'path', { ...own, get });
  return () => {
    if (Object.getOwnPropertyDescriptor(prototype, 'path')?.get === get)
      Object.defineProperty(prototype, 'path', own);
  };
}

function watchEvent(event: H3Event): void {
  watched.add(event);
  const exchange = findExchange(event.node.req);
  exchange?.atEnd.push(() => {
    const { method, context } = event;
    const { matchedRoute: route, params: parameters } = context;
    if (route === undefined) return;
    const handler = route.handlers[method.toLowerCase()] ?? route.handlers['all'];
    noteHandler(exchange, { method, path: route.path, handler, parameters });
  });
}

/** The last `H3Error` created for each request: h3 1 answers with it. */
const errors = new WeakMap<Exchange, H3Error>();
type H3Error = Error & { readonly unhandled: boolean };

/** Watches the construction of h3 1's `H3Error` by its prototype: h3 converts everything that a handler throws to one. */
export function watchH3Errors(prototype: object): Undo | undefined {
  return watchConstruction(prototype, (made) => {
    const exchange = findCurrentExchange();
    if (exchange === undefined) return;
    if (!errors.has(exchange)) exchange.atEnd.push(() => noteError(exchange, errors.get(exchange)));
    errors.set(exchange, made as H3Error); // an instance of the watched class
  });
}

function noteError(exchange: Exchange, error: H3Error | undefined): void {
  const status = statusOfError(error);
  // The error may have been caught, or be h3's own 404 for a request without a route.
  if (error === undefined || status !== exchange.outgoing.statusCode) return;
  if (status === 404 && exchange.route === undefined) return;
  const { message, cause, stack } = error;
  // If h3 wrapped a thrown error, that is the cause; or else h3 copied its cause and, behind a getter, its stack.
  const isCause = cause instanceof Error && cause.message === message;
  exchange.error(
    isCause ? cause : error.unhandled ? Object.assign(new Error(message, { cause }), { stack }) : error,
  );
}
