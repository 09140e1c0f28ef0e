import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { createOnion } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import type { AttachOptions } from './watch/attach-options.js';
import type { Exchange } from './watch/exchange.js';
import { noteHandler } from './watch/note-facts.js';
import { timeMiddleware } from './watch/timed-middleware.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Hono that can be taken back. */
export type LookbackMiddleware = MiddlewareHandler & Detachable;

/** A function that Hono runs, with its route: read when its turn comes. */
type Turn = [run: (...args: never[]) => unknown, route: object];

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
      for (const turn of turnsOf(context)) {
        if (turn[0] === middleware || formers.has(turn)) continue;
        formers.set(turn, turn[0]);
        turn[0] = timeMiddleware(turn[0], (given: Context) => messagesOf(given)?.incoming);
      }
      return next();
    },
    caught: ({ error }) => error,
    note,
    restore() {
      for (const [turn, former] of formers) turn[0] = former;
      formers.clear();
    },
  });
  return middleware as LookbackMiddleware; // what it resolves to is what `answer` and `next` gave
}

/** What the router found for a request, under a symbol that Hono shows nobody. */
function turnsOf({ req }: Context): readonly Turn[] {
  const prototype: unknown = Object.getPrototypeOf(req);
  const [symbol] = Object.getOwnPropertySymbols(prototype);
  const found: unknown = symbol === undefined ? undefined : Reflect.get(req, symbol);
  const turns: unknown = Array.isArray(found) ? found[0] : undefined;
  return Array.isArray(turns) ? turns.flatMap(([turn]) => (isTurn(turn) ? [turn] : [])) : [];
}

function isTurn(value: unknown): value is Turn {
  return Array.isArray(value) && typeof value[0] === 'function';
}

function messagesOf({ env }: Context): { incoming: IncomingMessage; outgoing: ServerResponse } | undefined {
  const { incoming, outgoing } = (env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse }; // there on @hono/node-server
  return incoming === undefined || outgoing === undefined ? undefined : { incoming, outgoing };
}

/** The last route that matched is the one that answers; those of middleware take all methods. */
function note(exchange: Exchange, context: Context): void {
  const route = matchedRoutes(context).findLast(
    ({ method, path }) => method !== 'ALL' || !path.endsWith('*'),
  );
  if (route === undefined) return;
  const { path, handler } = route;
  noteHandler(exchange, { method: context.req.method, path, handler, parameters: context.req.param() });
}
