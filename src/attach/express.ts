import type { IncomingMessage, ServerResponse } from 'node:http';
import { attachmentOf } from './attachment/attachment.js';
import { type Detachable, makeDetachable } from './attachment/detachable.js';
import { appOf, createExpressWatch } from './frameworks/watch-express.js';
import type { AttachOptions } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Express or Connect that can be detached. */
export type LookbackMiddleware = Detachable &
  ((request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void);

/**
 * Records the requests of an application of Express 4 or 5, or of Connect: `app.use(lookback())`, before everything
 * else. The record has the route with its pattern and parameters, the handler, each middleware with its time and what
 * was thrown. The profiler's pages are below `/_profiler`.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const attachment = attachmentOf(options);
  const express = createExpressWatch();
  let isAttached = true;
  const middleware = (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void => {
    if (!isAttached) return next();
    express.watch(appOf(request));
    attachment.handle(request, response, next);
  };
  return makeDetachable(middleware, attachment, () => {
    isAttached = false;
    express.restore();
  });
}
