import type { H3Event, Middleware } from 'h3';
import { createOnion } from './attachment/create-onion.js';
import type { Detachable } from './attachment/detachable.js';
import type { AttachOptions } from './watch/attach-options.js';
import type { Exchange } from './watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from './watch/foreign-message.js';
import { noteHandler } from './watch/note-facts.js';
import { timeMiddleware } from './watch/timed-middleware.js';

export type { AttachOptions } from './watch/attach-options.js';

/** A middleware of h3 that can be taken back. */
export type LookbackMiddleware = Middleware & Detachable;

/** What an application of h3 has of its middleware: the list, and what it has made of it. */
interface Composed {
  '~middleware': Middleware[];
  '~dispatch'?: unknown;
  '~composed'?: unknown;
}

/**
 * Records the requests of an application of h3 2 that srvx serves on Node: `app.use(lookback())`, before everything else. The
 * record has the route with its pattern and parameters, the time of each middleware from the second request on, and what was
 * thrown. The profiler's pages are below `/_profiler`. On other runtimes it hands on.
 */
export function lookback(options?: AttachOptions): LookbackMiddleware {
  const formers = new Map<Composed, Middleware[]>();
  const replace = (app: Composed, list: Middleware[]): void => {
    app['~middleware'].splice(0, Infinity, ...list);
    app['~dispatch'] = app['~composed'] = undefined; // as h3 does where one is added
  };
  const middleware = createOnion<H3Event>(options, {
    messagesOf,
    answer: (_event, page) => page.toWeb(),
    follow(event, next) {
      const app = event.app as Composed | undefined; // what it is made of
      const list = app?.['~middleware'];
      if (app !== undefined && list !== undefined && formers.get(app)?.length !== list.length) {
        formers.set(app, [...(formers.get(app) ?? []), ...list.slice(formers.get(app)?.length)]);
        replace(
          app,
          list.map((one) => (one === middleware ? one : (timeMiddleware(one, incomingOf) as Middleware))), // of the same shape
        );
      }
      return next();
    },
    note,
    restore() {
      for (const [app, former] of formers)
        replace(app, [...former, ...app['~middleware'].slice(former.length)]);
      formers.clear();
    },
  });
  return middleware as LookbackMiddleware; // `next` of h3 may give its value at once, which is awaited all the same
}

function messagesOf({
  runtime,
}: H3Event): { incoming: ForeignRequest; outgoing: ForeignResponse } | undefined {
  const { req, res } = runtime?.node ?? {};
  if (req === undefined || res === undefined) return undefined;
  return { incoming: req as ForeignRequest, outgoing: res as ForeignResponse }; // of Node's two kinds of messages, those that the server has
}

function incomingOf(event: H3Event): object | undefined {
  return messagesOf(event)?.incoming;
}

function note(exchange: Exchange, { req, context }: H3Event): void {
  const { matchedRoute, params } = context;
  if (matchedRoute?.route === undefined) return;
  const { route: path, handler } = matchedRoute;
  noteHandler(exchange, { method: req.method, path, handler, parameters: params });
}
