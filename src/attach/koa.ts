import type { Middleware, ParameterizedContext } from 'koa';
import { createOnion } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import { sendResponse } from './pages/send-response.js';
import type { AttachOptions } from './watch/attach-options.js';
import { createTimedRest, noteKoaRoute } from './frameworks/watch-koa.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Koa that can be detached. */
export type LookbackMiddleware = Middleware & Detachable;

type Context = ParameterizedContext;
/**
 * Records the requests of an application of Koa 3: `app.use(lookback())`, before everything else. The record has each
 * middleware with its time, what was thrown and, with `@koa/router`, the route with its pattern, parameters and handler.
 * The profiler's pages are below `/_profiler`.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const middleware = createOnion<Context>(options, {
    messagesOf: ({ req, res }) => ({ incoming: req, outgoing: res }),
    async answer(ctx, page) {
      ctx.respond = false;
      await sendResponse(ctx.res, page).catch(() => undefined); // the client has disconnected
    },
    follow: (ctx, next) => restOf(ctx.app)?.(ctx) ?? next(),
    note: noteKoaRoute,
  });
  const restOf = createTimedRest(middleware);
  return middleware;
}
