import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { beginSpan, noteHandler } from '../watch/note-facts.js';

/** What Fastify says of a handler that it runs. */
interface HandlerMessage {
  readonly request?: { readonly raw?: IncomingMessage; readonly method?: string; readonly params?: unknown };
  readonly route?: { readonly url?: string; readonly method?: string };
  readonly error?: unknown;
}

const channel = 'tracing:fastify.request.handler:';
let listeners = 0;

function exchangeOf(message: unknown): Exchange | undefined {
  const { request } = message as HandlerMessage; // of Fastify's channel
  return request?.raw === undefined ? undefined : findExchange(request.raw);
}

const began = (message: unknown): void => {
  const { request, route } = message as HandlerMessage; // of Fastify's channel
  const exchange = exchangeOf(message);
  if (exchange === undefined || request === undefined || exchange.leaveHandler !== undefined) return;
  const { method = '' } = request;
  const { handler } = (request as { routeOptions?: { handler?: unknown } }).routeOptions ?? {}; // Fastify's request has it
  const name = noteHandler(exchange, {
    method,
    path: route?.url ?? '*',
    handler,
    parameters: request.params,
  });
  exchange.leaveHandler = beginSpan(exchange, { name, category: 'controller' });
};
const ended = (message: unknown): void => exchangeOf(message)?.leaveHandler?.();
const failed = (message: unknown): void => {
  const exchange = exchangeOf(message);
  exchange?.leaveHandler?.('failed');
  exchange?.recording.error((message as HandlerMessage).error); // of Fastify's channel
};
const handlerChannels = [
  ['start', began],
  ['asyncEnd', ended],
  ['error', failed],
] as const;

/** Listens to what Fastify 5 publishes of its handlers: route, name, time, error. The returned function stops it. */
export function watchFastify(): () => void {
  if (listeners++ === 0)
    for (const [event, listener] of handlerChannels) subscribe(channel + event, listener);
  let isListening = true;
  return () => {
    if (!isListening) return;
    isListening = false;
    if (--listeners === 0)
      for (const [event, listener] of handlerChannels) unsubscribe(channel + event, listener);
  };
}
