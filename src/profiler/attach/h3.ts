import type { Middleware } from 'h3';
import { createLateMiddleware } from './attachment/late-middleware.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of an application of h3 2 that srvx serves on Node: `app.use(lookback())`, before everything else. The
 * record has the route with its pattern and parameters, the time of each middleware from the second request on, and what was
 * thrown. The profiler's pages are below `/_profiler`. On other runtimes it does nothing.
 */
export function lookback(options?: AttachOptions): Middleware & Detachable {
  return createLateMiddleware<Middleware>(options, async (self) =>
    (await import('./frameworks/h3.js')).createMiddleware(options, self),
  );
}
