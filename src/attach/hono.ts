import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { createOnion } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import type { AttachOptions } from './watch/attach-options.js';
import { matchedHandlers, type MatchedHandler, noteHonoRoute, timeHandler } from './frameworks/watch-hono.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Hono that can be detached. */
export type LookbackMiddleware = MiddlewareHandler & Detachable;

/**
 * Records the requests of an application of Hono 4 that `@hono/node-server` serves: `app.use(lookback())`, before everything
 * else. The record has the route with its pattern and parameters, the handler, each middleware with its time, and what was
 * thrown. The profiler's pages are below `/_profiler`. On other servers, and for `app.request()`, it does nothing.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const formers = new Map<MatchedHandler, MatchedHandler[0]>();
  const middleware = createOnion<Context>(options, {
    messagesOf,
    answer(context, page) {
      if (!context.finalized) return page.toWeb();
      context.res = undefined; // otherwise Hono would merge the headers of the former response
      context.res = page.toWeb();
      return undefined;
    },
    follow(context, next) {
      for (const handler of handlersFor(context)) {
        if (handler[0] === middleware || formers.has(handler)) continue;
        formers.set(handler, handler[0]);
        handler[0] = timeHandler(handler);
      }
      return next();
    },
    caught: ({ error }) => error,
    note: (exchange, context) =>
      noteHonoRoute(exchange, handlersFor(context), {
        method: context.req.method,
        parameters: context.req.param(),
      }),
    restore() {
      for (const [handler, former] of formers) handler[0] = former;
      formers.clear();
    },
  });
  return middleware as LookbackMiddleware; // it resolves to the results of `answer` and `next`
}

/** Returns the handlers that the router found for a request; Hono stores them under a symbol that it does not export. */
function handlersFor({ req }: Context): readonly MatchedHandler[] {
  const prototype: unknown = Object.getPrototypeOf(req);
  const [symbol] = Object.getOwnPropertySymbols(prototype);
  return symbol === undefined ? [] : matchedHandlers(Reflect.get(req, symbol));
}

function messagesOf({ env }: Context): { incoming: IncomingMessage; outgoing: ServerResponse } | undefined {
  const { incoming, outgoing } = (env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse }; // set by @hono/node-server
  return incoming === undefined || outgoing === undefined ? undefined : { incoming, outgoing };
}
