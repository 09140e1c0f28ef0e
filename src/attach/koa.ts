import type { Middleware, ParameterizedContext } from 'koa';
import { createOnion, type Next } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import { sendResponse } from './pages/send-response.js';
import type { AttachOptions } from './watch/attach-options.js';
import type { Exchange } from './watch/exchange.js';
import { noteHandler } from './watch/note-facts.js';
import { timeMiddleware } from './watch/timed-middleware.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Koa that can be taken back. */
export type LookbackMiddleware = Middleware & Detachable;

type Context = ParameterizedContext;
type Rest = (context: Context) => Promise<unknown>;
/** Koa 3 has the function that it composes middleware by; its types do not. */
type Composing = Context['app'] & { compose?(middleware: readonly unknown[]): Rest };

/** What routers leave in a context (`@koa/router`). */
interface RoutedContext {
  readonly _matchedRoute?: unknown;
  readonly _matchedRouteName?: unknown;
  readonly params?: unknown;
  readonly matched?: readonly { readonly stack?: readonly unknown[] }[];
}

/**
 * Records the requests of an application of Koa 3: `app.use(lookback())`, before everything else. The record has each
 * middleware with its time, what was thrown and, with `@koa/router`, the route with its pattern, parameters and handler.
 * The profiler's pages are below `/_profiler`.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const rests = new WeakMap<object, Rest>();
  const middleware = createOnion<Context>(options, {
    messagesOf: ({ req, res }) => ({ incoming: req, outgoing: res }),
    async answer(ctx, page) {
      ctx.respond = false;
      await sendResponse(ctx.res, page).catch(() => undefined); // the client is gone
    },
    /** Koa shows nobody what it has composed: what comes behind this middleware is composed once more, by Koa's own function. */
    follow(ctx, next: Next) {
      const app: Composing = ctx.app;
      let rest = rests.get(app);
      if (rest === undefined) {
        const at = app.middleware.indexOf(middleware);
        if (at === -1 || app.compose === undefined) return next();
        const behind = app.middleware.slice(at + 1);
        rest = app.compose(behind.map((one) => timeMiddleware(one, ({ req }: Context) => req)));
        rests.set(app, rest);
      }
      return rest(ctx);
    },
    note,
  });
  return middleware;
}

function note(exchange: Exchange, ctx: Context): void {
  const { _matchedRoute: path, _matchedRouteName: name, params, matched } = ctx as RoutedContext; // there with @koa/router
  if (typeof path !== 'string' && !(path instanceof RegExp)) return;
  const route = { method: ctx.method, path: String(path), name: typeof name === 'string' ? name : undefined };
  noteHandler(exchange, { ...route, parameters: params, handler: matched?.at(-1)?.stack?.at(-1) });
}
