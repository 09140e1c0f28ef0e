import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { attachmentOf } from './attachment/attachment.js';
import { timeHooksOf } from './frameworks/watch-fastify-hooks.js';
import { watchFastify } from './frameworks/watch-fastify.js';
import type { AttachOptions } from './watch/attach-options.js';
import { findExchange } from './watch/exchange.js';
import { noteHandler } from './watch/note-facts.js';

export type { AttachOptions } from './watch/attach-options.js';

type Done = (error?: Error) => void;

/**
 * Records the requests of an application of Fastify 5: `await app.register(lookback)`, before everything else. The record
 * has the route with its pattern and parameters, the handler, the times of its hooks, and what was thrown. The profiler's pages
 * are below `/_profiler`. With `errorPage` it sets the error handler, which rethrows errors that it does not answer.
 */
export function lookback(app: FastifyInstance, options: AttachOptions, done: Done): void {
  const attachment = attachmentOf(options);
  if (!attachment.isEnabled) return done();
  const restore = watchFastify();
  app.addHook('onRequest', (request, reply, next) => {
    let isAnswered = true;
    attachment.handle(request.raw, reply.raw, () => {
      isAnswered = false;
      timeHooksOf(request);
      note(request);
      next();
    });
    if (isAnswered) reply.hijack();
  });
  app.addHook('onError', (request, _reply, error, next) => {
    findExchange(request.raw)?.error(error);
    next();
  });
  if (attachment.settings.errorPage) app.setErrorHandler(answerError);
  app.addHook('onClose', async () => {
    restore();
    await attachment.close();
  });
  done();
}

/** Makes the plugin's hooks apply to the whole application instead of an encapsulated context. */
Object.assign(lookback, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'lookback',
  [Symbol.for('plugin-meta')]: { fastify: '5.x', name: 'lookback' },
});

function note({ raw, method, params, routeOptions }: FastifyRequest): void {
  const exchange = findExchange(raw);
  if (exchange === undefined || routeOptions.url === undefined) return;
  const { handler } = routeOptions as { handler?: unknown }; // Fastify 5 has it, but not all its releases declare it
  noteHandler(exchange, { method, path: routeOptions.url, handler, parameters: params });
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const exchange = findExchange(request.raw);
  if (exchange === undefined || !exchange.answerError(error)) throw error;
  reply.hijack();
}
