import type { Middleware } from 'koa';
import { createLateMiddleware } from './attachment/late-middleware.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of a Koa 2 or 3 application. Add it first: `app.use(lookback())`. Records contain each
 * middleware with its time, errors and, with `@koa/router`, the route with pattern, parameters and handler. The
 * profiler's pages are under `/_profiler`.
 */
export function lookback(options?: AttachOptions): Middleware & Detachable {
  return createLateMiddleware<Middleware>(options, async (self, given) =>
    (await import('./frameworks/koa.js')).createMiddleware(given, self),
  );
}
