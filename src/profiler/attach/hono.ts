import type { MiddlewareHandler } from 'hono';
import { createLateMiddleware } from './attachment/late-middleware.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of a Hono 4 application that `@hono/node-server` serves. Add it first: `app.use(lookback())`.
 * Records contain the route with pattern and parameters, the handler, each middleware with its time, and errors. The
 * profiler's pages are under `/_profiler`. Does nothing on other servers and for `app.request()`.
 */
export function lookback(options?: AttachOptions): MiddlewareHandler & Detachable {
  return createLateMiddleware<MiddlewareHandler>(options, async (self, given) =>
    (await import('./frameworks/hono.js')).createMiddleware(given, self),
  );
}
