import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { isError } from '#errors';
import { replaceMethod, shareUndo, undoAll } from '#patches';
import { registerSpan } from '#profiler';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { restoreHooks } from './watch-fastify-hooks.js';

/** Fastify's diagnostics message about a handler. */
interface HandlerMessage {
  readonly request?: {
    readonly raw?: object;
    readonly method?: string;
    readonly params?: unknown;
    readonly routeOptions?: { readonly handler?: unknown; readonly url?: string };
  };
  readonly route?: { readonly url?: string };
  readonly error?: unknown;
}

/** Creates a channel listener that ignores requests without an exchange. */
function listener(note: (exchange: Exchange, message: HandlerMessage) => void): (message: unknown) => void {
  return (message) => {
    const published = message as HandlerMessage; // Fastify publishes such objects on this channel
    const exchange = findExchange(published.request?.raw ?? {});
    if (exchange !== undefined) note(exchange, published);
  };
}

const listeners = {
  start: listener((exchange, { request = {}, route }) => {
    if (exchange.handlerBar !== undefined) return;
    const { method = '', params: parameters, routeOptions } = request;
    const handler = routeOptions?.handler;
    const name = noteHandler(exchange, { method, path: route?.url ?? '*', handler, parameters });
    exchange.handlerBar = exchange.enter(registerSpan({ name, category: 'controller' }));
  }),
  asyncEnd: listener((exchange) => exchange.leave(exchange.handlerBar ?? -1)),
  error: listener((exchange, { error }) => {
    exchange.leave(exchange.handlerBar ?? -1, 'failed');
    exchange.error(error);
  }),
};

const watchHandlers = shareUndo(() => {
  const subscribed = Object.entries(listeners).map(([event, listen]) => {
    const channel = `tracing:fastify.request.handler:${event}`;
    subscribe(channel, listen);
    return () => unsubscribe(channel, listen);
  });
  return undoAll([...subscribed, restoreHooks]);
});

/** Listens to Fastify 5's diagnostics channels for route, name, time and error of handlers. The returned function stops it. */
export function watchFastify(): () => void {
  return watchHandlers(listeners);
}

/** Watches Fastify's replies, so that requests that end before the handler (in hooks or validation) have their route as well. */
export const watchReplies: (prototype: object) => () => void = shareUndo((prototype) =>
  replaceMethod<HandlerMessage>(prototype, 'send', (former, args, self) => {
    const { request = {} } = self;
    const { raw, method = '', params: parameters, routeOptions: { url, handler } = {} } = request;
    const exchange = findExchange(raw ?? {});
    if (exchange !== undefined && exchange.handlerBar === undefined && url !== undefined) {
      exchange.handlerBar = -1;
      noteHandler(exchange, { method, path: url, handler, parameters });
    }
    if (isError(args[0])) exchange?.error(args[0]);
    return Reflect.apply(former, self, args);
  }),
);
