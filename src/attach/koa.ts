import type { Middleware, ParameterizedContext } from 'koa';
import { attachmentOf } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';
import { type Exchange, findExchange } from './watch/exchange.js';
import { nameOfHandler, noteRoute } from './watch/note-facts.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Koa that can be taken back. */
export interface LookbackMiddleware extends Middleware {
  /** The middleware hands requests on from now on. */
  detach(): void;
  /** Detaches, writes what is left and closes the store. */
  close(): Promise<void>;
}

/** What routers leave in a context (`@koa/router`). */
interface RoutedContext {
  readonly _matchedRoute?: unknown;
  readonly _matchedRouteName?: unknown;
  readonly params?: unknown;
  readonly matched?: readonly { readonly stack?: readonly unknown[] }[];
}

/**
 * Records the requests of an application of Koa 3: `app.use(lookback())`, before everything else. The record has
 * what was thrown and, with `@koa/router`, the route with its pattern, parameters and handler. Koa shows nobody its composed
 * middleware, so there are no times of them.
 * The profiler's pages are below `/_profiler`.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const attachment = attachmentOf(options);
  let isAttached = attachment.isEnabled;
  const middleware = async (ctx: ParameterizedContext, next: () => Promise<unknown>): Promise<unknown> => {
    if (!isAttached) return next();
    let answer: Promise<unknown> | undefined;
    attachment.handle(ctx.req, ctx.res, () => {
      answer = follow(ctx, next);
    });
    if (answer === undefined) ctx.respond = false; // a page was asked for
    return answer;
  };
  const detach = (): void => {
    isAttached = false;
  };
  return Object.assign(middleware, {
    detach,
    close() {
      detach();
      return attachment.close();
    },
  });
}

async function follow(ctx: ParameterizedContext, next: () => Promise<unknown>): Promise<unknown> {
  const exchange = findExchange(ctx.req);
  try {
    return await next();
  } catch (error) {
    if (exchange?.answerError(error) !== true) throw error;
    ctx.respond = false;
    return undefined;
  } finally {
    if (exchange !== undefined) note(exchange, ctx);
  }
}

function note(exchange: Exchange, ctx: ParameterizedContext): void {
  const { _matchedRoute: path, _matchedRouteName: name, params, matched } = ctx as RoutedContext; // there with @koa/router
  if (typeof path !== 'string' && !(path instanceof RegExp)) return;
  const route = { method: ctx.method, path: String(path) };
  noteRoute(exchange, typeof name === 'string' ? { ...route, name } : route, params);
  const handler = matched?.at(-1)?.stack?.at(-1);
  exchange.recording.controller({ name: nameOfHandler(handler, `${route.method} ${route.path}`) }, []);
}
