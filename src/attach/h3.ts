import type { H3Event, Middleware } from 'h3';
import { attachmentOf } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';
import type { Exchange } from './watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from './watch/foreign-message.js';
import { nameOfHandler, noteRoute } from './watch/note-facts.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of h3 that can be taken back. */
export interface LookbackMiddleware extends Middleware {
  /** The middleware hands requests on from now on. */
  detach(): void;
  /** Detaches, writes what is left and closes the store. */
  close(): Promise<void>;
}

/**
 * Records the requests of an application of h3 2 that srvx serves on Node: `app.use(lookback())`, before everything else. The
 * record has the route with its pattern and parameters, and what was thrown. The profiler's pages are below `/_profiler`. On
 * other runtimes it hands on.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const attachment = attachmentOf(options);
  let isAttached = attachment.isEnabled;
  const middleware: Middleware = async (event, next) => {
    const node = event.runtime?.node;
    if (!isAttached || node?.res === undefined) return next();
    const incoming = node.req as ForeignRequest; // of Node's two kinds of messages, those that the server has
    const opened = attachment.open(incoming, node.res as ForeignResponse); // likewise
    if ('page' in opened) return (await opened.page()).toWeb();
    const { exchange } = opened;
    if (exchange === undefined) return next();
    try {
      return await exchange.run(next);
    } catch (error) {
      exchange.recording.error(error);
      const page = await attachment.errorPage(exchange, error);
      if (page === undefined) throw error;
      return page.toWeb();
    } finally {
      note(exchange, event);
    }
  };
  const detach = (): void => {
    isAttached = false;
  };
  return Object.assign(middleware, {
    detach,
    close() {
      detach();
      return attachment.close();
    },
  });
}

function note(exchange: Exchange, { req, context }: H3Event): void {
  const { matchedRoute, params } = context;
  if (matchedRoute?.route === undefined) return;
  const { method } = req;
  noteRoute(exchange, { method, path: matchedRoute.route }, params);
  exchange.recording.controller(
    { name: nameOfHandler(matchedRoute.handler, `${method} ${matchedRoute.route}`) },
    [],
  );
}
