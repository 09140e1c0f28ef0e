import type { Middleware } from 'h3';
import { createLateMiddleware } from './attachment/late-middleware.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of an h3 2 application that srvx serves on Node. Add it first: `app.use(lookback())`. Records
 * contain the route with pattern and parameters, the time of each middleware from the second request on, and errors.
 * The profiler's pages are under `/_profiler`. Does nothing on other runtimes.
 */
export function lookback(options?: AttachOptions): Middleware & Detachable {
  return createLateMiddleware<Middleware>(options, async (self, given) =>
    (await import('./frameworks/h3.js')).createMiddleware(given, self),
  );
}
