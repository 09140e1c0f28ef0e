import { type Undo, watchConstruction } from '#patches';
import { type Exchange, findCurrentExchange, findExchange, statusOfError } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';

/** What is read of an event of h3 1. */
interface H3Event {
  readonly node: { readonly req: object };
  readonly method: string;
  readonly context: {
    readonly matchedRoute?: { readonly path: string; readonly handlers: Readonly<Record<string, unknown>> };
    readonly params?: unknown;
  };
}

/** Those whose end is waited for. */
const watched = new WeakSet<H3Event>();

/**
 * Every event of the h3 1 whose prototype is given: route and handler, which its router leaves there. The router reads the event's
 * path, and calls nothing else that can be followed.
 */
export function watchH3Events(prototype: object): Undo | undefined {
  const own = Object.getOwnPropertyDescriptor(prototype, 'path');
  if (own?.get === undefined) return undefined;
  const former = Reflect.get(own, 'get') as () => unknown; // a getter
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

/** What h3 1 answers with: the last that was made for a request. */
const errors = new WeakMap<Exchange, H3Error>();
type H3Error = Error & { readonly unhandled: boolean };

/** Every `H3Error` of the prototype given: whatever a handler throws becomes one. */
export function watchH3Errors(prototype: object): Undo | undefined {
  return watchConstruction(prototype, (made) => {
    const exchange = findCurrentExchange();
    if (exchange === undefined) return;
    if (!errors.has(exchange)) exchange.atEnd.push(() => noteError(exchange, errors.get(exchange)));
    errors.set(exchange, made as H3Error); // whose class it is
  });
}

function noteError(exchange: Exchange, error: H3Error | undefined): void {
  const status = statusOfError(error);
  // It may have been caught, or be h3's own for what no route takes.
  if (error === undefined || status !== exchange.outgoing.statusCode) return;
  if (status === 404 && exchange.route === undefined) return;
  const { message, cause, stack } = error;
  // In the place of what a handler threw it has that as its cause, or the cause of that and its stack, behind a getter.
  const isCause = cause instanceof Error && cause.message === message;
  exchange.error(
    isCause ? cause : error.unhandled ? Object.assign(new Error(message, { cause }), { stack }) : error,
  );
}
