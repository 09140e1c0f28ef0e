import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { findExchange } from '../watch/exchange.js';
import { beginSpan, noteHandler } from '../watch/note-facts.js';

/** What Fastify says of a handler that it runs. */
interface HandlerMessage {
  readonly request?: { readonly raw?: IncomingMessage; readonly method?: string; readonly params?: unknown };
  readonly route?: { readonly url?: string; readonly method?: string };
  readonly error?: unknown;
}

const channel = 'tracing:fastify.request.handler:';
const spans = new WeakMap<object, (outcome?: 'failed') => void>();
let listeners = 0;

const began = (message: unknown): void => {
  const { request, route } = message as HandlerMessage; // of Fastify's channel
  const exchange = request?.raw === undefined ? undefined : findExchange(request.raw);
  if (exchange === undefined || request === undefined || spans.has(message as object)) return; // the same object each time
  const { method = '' } = request;
  const { handler } = (request as { routeOptions?: { handler?: unknown } }).routeOptions ?? {}; // Fastify's request has it
  const name = noteHandler(exchange, {
    method,
    path: route?.url ?? '*',
    handler,
    parameters: request.params,
  });
  spans.set(message as object, beginSpan(exchange, { name, category: 'controller' })); // an object, as above
};
const ended = (message: unknown): void => {
  spans.get(message as object)?.(); // an object, as above
};
const failed = (message: unknown): void => {
  const { request, error } = message as HandlerMessage; // of Fastify's channel
  spans.get(message as object)?.('failed'); // an object, as above
  if (request?.raw !== undefined) findExchange(request.raw)?.recording.error(error);
};
const handlerChannels = [
  ['start', began],
  ['asyncEnd', ended],
  ['error', failed],
] as const;

/** Hears what Fastify 5 publishes of its handlers: route, name, time, error. The returned function stops it. */
export function watchFastify(): () => void {
  if (listeners++ === 0)
    for (const [event, listener] of handlerChannels) subscribe(channel + event, listener);
  let isHeard = true;
  return () => {
    if (!isHeard) return;
    isHeard = false;
    if (--listeners === 0)
      for (const [event, listener] of handlerChannels) unsubscribe(channel + event, listener);
  };
}
