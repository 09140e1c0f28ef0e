import { createLateMiddleware } from './attachment/late-middleware.js';
import type { ExpressMiddleware } from './frameworks/express.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of an application of Express 4 or 5, or of Connect: `app.use(lookback())`, before everything
 * else. The record has the route with its pattern and parameters, the handler, each middleware with its time and what
 * was thrown. The profiler's pages are below `/_profiler`.
 */
export function lookback(options?: AttachOptions): ExpressMiddleware & Detachable {
  return createLateMiddleware<ExpressMiddleware>(options, async () =>
    (await import('./frameworks/express.js')).createMiddleware(options),
  );
}
