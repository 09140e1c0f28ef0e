import type { MiddlewareHandler } from 'hono';
import { createLateMiddleware } from './attachment/late-middleware.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of an application of Hono 4 that `@hono/node-server` serves: `app.use(lookback())`, before everything
 * else. The record has the route with its pattern and parameters, the handler, each middleware with its time, and what was
 * thrown. The profiler's pages are below `/_profiler`. On other servers, and for `app.request()`, it does nothing.
 */
export function lookback(options?: AttachOptions): MiddlewareHandler & Detachable {
  return createLateMiddleware<MiddlewareHandler>(options, async (self) =>
    (await import('./frameworks/hono.js')).createMiddleware(options, self),
  );
}
