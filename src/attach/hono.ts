import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { attachmentOf } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';
import type { Exchange } from './watch/exchange.js';
import { nameOfHandler, noteRoute } from './watch/note-facts.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of Hono that can be taken back. */
export interface LookbackMiddleware extends MiddlewareHandler {
  /** The middleware hands requests on from now on. */
  detach(): void;
  /** Detaches, writes what is left and closes the store. */
  close(): Promise<void>;
}

/**
 * Records the requests of an application of Hono 4 that `@hono/node-server` serves: `app.use(lookback())`, before everything
 * else. The record has the route with its pattern and parameters, the handler, and what was thrown. The profiler's pages are
 * below `/_profiler`. On other servers, and for `app.request()`, it hands on.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const attachment = attachmentOf(options);
  let isAttached = attachment.isEnabled;
  const middleware: MiddlewareHandler = async (context, next) => {
    const messages = messagesOf(context);
    if (!isAttached || messages === undefined) return next();
    const opened = attachment.open(messages.incoming, messages.outgoing);
    if ('page' in opened) return (await opened.page()).toWeb();
    const { exchange } = opened;
    if (exchange === undefined) return next();
    await exchange.run(next);
    note(exchange, context);
    if (context.error === undefined || !exchange.answerError(context.error)) return undefined;
    context.res = new Response(null, { headers: { 'x-hono-already-sent': 'true' } }); // the server's own sign
    return undefined;
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

function messagesOf({ env }: Context): { incoming: IncomingMessage; outgoing: ServerResponse } | undefined {
  const { incoming, outgoing } = (env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse }; // there on @hono/node-server
  return incoming === undefined || outgoing === undefined ? undefined : { incoming, outgoing };
}

/** The last route that matched is the one that answers; those of middleware take all methods. */
function note(exchange: Exchange, context: Context): void {
  const route = matchedRoutes(context).findLast(
    ({ method, path }) => method !== 'ALL' || !path.endsWith('*'),
  );
  if (route === undefined) return;
  const { method } = context.req;
  noteRoute(exchange, { method, path: route.path }, context.req.param());
  exchange.recording.controller({ name: nameOfHandler(route.handler, `${method} ${route.path}`) }, []);
}
