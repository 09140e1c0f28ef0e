import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { isError } from '#errors';
import { replaceMethod, shareUndo, undoAll } from '#patches';
import { registerSpan } from '#profiler';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { noteHandler } from '../watch/note-facts.js';
import { restoreHooks } from './watch-fastify-hooks.js';

/** What Fastify publishes of a handler that it runs. */
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

/** Of the exchange that a message of Fastify's channel is about, where there is one. */
function listener(note: (exchange: Exchange, message: HandlerMessage) => void): (message: unknown) => void {
  return (message) => {
    const published = message as HandlerMessage; // of Fastify's channel
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

/** Listens to what Fastify 5 publishes of its handlers: route, name, time, error. The returned function stops it. */
export function watchFastify(): () => void {
  return watchHandlers(listeners);
}

/** Replies of Fastify: what ends before its handler runs, as hooks and validation do, has its route as well. */
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
