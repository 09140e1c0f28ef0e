import { createLateMiddleware } from './attachment/late-middleware.js';
import type { ExpressMiddleware } from './frameworks/express.js';
import type { Detachable } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/**
 * Records the requests of an Express 4 or 5, or Connect application. Add it first: `app.use(lookback())`. Records
 * contain the route with pattern and parameters, the handler, each middleware with its time, and errors. The profiler's
 * pages are under `/_profiler`.
 */
export function lookback(options?: AttachOptions): ExpressMiddleware & Detachable {
  return createLateMiddleware<ExpressMiddleware>(options, async (_, given) =>
    (await import('./frameworks/express.js')).createMiddleware(given),
  );
}
