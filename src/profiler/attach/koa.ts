import type { Middleware } from 'koa';
import { createLateMiddleware } from './attachment/late-middleware.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of an application of Koa 2 or 3: `app.use(lookback())`, before everything else. The record has each
 * middleware with its time, what was thrown and, with `@koa/router`, the route with its pattern, parameters and handler.
 * The profiler's pages are below `/_profiler`.
 */
export function lookback(options?: AttachOptions): Middleware & Detachable {
  return createLateMiddleware<Middleware>(options, async (self) =>
    (await import('./frameworks/koa.js')).createMiddleware(options, self),
  );
}
