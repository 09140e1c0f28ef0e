import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { createOnion } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import type { AttachOptions } from './watch/attach-options.js';
import { noteHonoRoute, timeTurn, type Turn, turnsOf } from './frameworks/watch-hono.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Hono that can be taken back. */
export type LookbackMiddleware = MiddlewareHandler & Detachable;

/**
 * Records the requests of an application of Hono 4 that `@hono/node-server` serves: `app.use(lookback())`, before everything
 * else. The record has the route with its pattern and parameters, the handler, each middleware with its time, and what was
 * thrown. The profiler's pages are below `/_profiler`. On other servers, and for `app.request()`, it hands on.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const formers = new Map<Turn, Turn[0]>();
  const middleware = createOnion<Context>(options, {
    messagesOf,
    answer(context, page) {
      if (!context.finalized) return page.toWeb();
      context.res = undefined; // else its fields would be among ours
      context.res = page.toWeb();
      return undefined;
    },
    follow(context, next) {
      for (const turn of foundFor(context)) {
        if (turn[0] === middleware || formers.has(turn)) continue;
        formers.set(turn, turn[0]);
        turn[0] = timeTurn(turn);
      }
      return next();
    },
    caught: ({ error }) => error,
    note: (exchange, context) =>
      noteHonoRoute(exchange, foundFor(context), {
        method: context.req.method,
        parameters: context.req.param(),
      }),
    restore() {
      for (const [turn, former] of formers) turn[0] = former;
      formers.clear();
    },
  });
  return middleware as LookbackMiddleware; // what it resolves to is what `answer` and `next` gave
}

/** What the router found for a request, under a symbol that Hono does not export. */
function foundFor({ req }: Context): readonly Turn[] {
  const prototype: unknown = Object.getPrototypeOf(req);
  const [symbol] = Object.getOwnPropertySymbols(prototype);
  return symbol === undefined ? [] : turnsOf(Reflect.get(req, symbol));
}

function messagesOf({ env }: Context): { incoming: IncomingMessage; outgoing: ServerResponse } | undefined {
  const { incoming, outgoing } = (env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse }; // there on @hono/node-server
  return incoming === undefined || outgoing === undefined ? undefined : { incoming, outgoing };
}
