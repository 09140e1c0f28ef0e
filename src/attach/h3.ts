import type { H3Event, Middleware } from 'h3';
import { createOnion } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import type { AttachOptions } from './watch/attach-options.js';
import type { ForeignRequest, ForeignResponse } from './watch/foreign-message.js';
import { noteH3Route, TimedApps } from './frameworks/watch-h3.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of h3 that can be detached. */
export type LookbackMiddleware = Middleware & Detachable;

/**
 * Records the requests of an application of h3 2 that srvx serves on Node: `app.use(lookback())`, before everything else. The
 * record has the route with its pattern and parameters, the time of each middleware from the second request on, and what was
 * thrown. The profiler's pages are below `/_profiler`. On other runtimes it does nothing.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const apps = new TimedApps();
  const middleware = createOnion<H3Event>(options, {
    messagesOf,
    answer: (_event, page) => page.toWeb(),
    follow(event, next) {
      if (event.app !== undefined) apps.time(event.app, middleware);
      return next();
    },
    note: (exchange, event) =>
      noteH3Route(exchange, event, { data: event.context.matchedRoute, params: event.context.params }),
    restore: () => apps.restore(),
  });
  return middleware as LookbackMiddleware; // h3's `next` may return a plain value, which is awaited as well
}

function messagesOf({
  runtime,
}: H3Event): { incoming: ForeignRequest; outgoing: ForeignResponse } | undefined {
  const { req, res } = runtime?.node ?? {};
  if (req === undefined || res === undefined) return undefined;
  return { incoming: req as ForeignRequest, outgoing: res as ForeignResponse }; // on Node, both are messages of HTTP/1.1 or HTTP/2
}
