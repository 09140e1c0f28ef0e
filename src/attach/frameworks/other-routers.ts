import { isError } from '#errors';
import { replaceMethod, undoAll, type Undo } from '#patches';
import { type Exchange, findExchange, findCurrentExchange } from '../watch/exchange.js';
import { noteHandler, noteRoute, type Middleware, runUncaught, timeMiddleware } from '../watch/note-facts.js';

/** Properties that routers set on Node's request: restify, and Express if it was not patched. */
interface RoutedRequest {
  readonly method?: string;
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown };
  readonly params?: unknown;
}

/** Records the route, if none is recorded, and the error that routers stored on the two messages. Called after the answer. */
export function noteMessageFacts(exchange: Exchange): void {
  if (exchange.route === undefined) {
    const { method = '', baseUrl = '', route, params } = exchange.incoming as RoutedRequest; // all properties are optional
    if (typeof route?.path === 'string') noteRoute(exchange, { method, path: baseUrl + route.path }, params);
  }
  const { err } = exchange.outgoing as { err?: unknown }; // set by restify, and by error handlers for pino-http
  if (isError(err)) exchange.error(err);
}

/** The properties of a hapi request that are read after the answer. */
interface HapiRequest {
  readonly raw: { readonly req: object };
  readonly method: string;
  readonly params: unknown;
  readonly route: {
    readonly method: string;
    readonly path: string;
    readonly settings: { readonly handler?: unknown };
  };
  /** `_error` is the error from which hapi created the response. */
  readonly response?: { readonly _error?: unknown } | null;
}

/** Watches hapi's requests by their prototype: records route, handler and what was thrown. */
export function watchHapi(prototype: object): (() => void) | undefined {
  return replaceMethod<HapiRequest>(prototype, '_execute', (former, args, request) => {
    const exchange = findExchange(request.raw.req);
    exchange?.atEnd.push(() => noteHapi(exchange, request));
    return Reflect.apply(former, request, args);
  });
}

function noteHapi(exchange: Exchange, { method, params, route, response }: HapiRequest): void {
  // An internal route of hapi answers requests without a route.
  if (route.method === '_special') return;
  const { path, settings } = route;
  noteHandler(exchange, {
    method: method.toUpperCase(),
    path,
    parameters: params,
    handler: settings.handler,
  });
  if (isError(response?._error)) exchange.error(response._error);
}

/** The handlers of a polka application: by method and pattern, for all paths, and by base path. */
interface PolkaApp {
  readonly handlers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  readonly wares?: Middleware[];
  readonly bwares?: Readonly<Record<string, Middleware[]>>;
}

/** A match of polka's router. */
interface PolkaMatch {
  readonly params: unknown;
  readonly handlers: readonly Middleware[];
}

const timed = (middleware: Middleware): Middleware =>
  timeMiddleware(middleware, (message: object) => message, 'middleware', runUncaught);

/** Watches all polka applications by their router's prototype: records the times and errors of handlers, and the route. */
export function watchPolka(prototype: object): Undo {
  const undos: (Undo | undefined)[] = [];
  const follow = (app: PolkaApp): void => {
    const lists = [app.wares ?? [], ...Object.values(app.bwares ?? {})];
    for (const list of lists)
      for (const [at, own] of list.entries()) {
        const stand = timed(own);
        if (stand === own) continue;
        list[at] = stand;
        undos.push(() => void (list[at] = own));
      }
    const watchError = replaceMethod(app, 'onError', (former, args) => {
      findCurrentExchange()?.error(args[0]);
      return Reflect.apply(former, app, args);
    });
    if (watchError !== undefined) undos.push(watchError);
  };
  const undo = replaceMethod<PolkaApp>(prototype, 'find', (former, args, app) => {
    const found = Reflect.apply(former, app, args) as PolkaMatch | false; // the result type of the router
    const exchange = findCurrentExchange();
    if (exchange === undefined) return found;
    follow(app);
    if (found === false) return found;
    noteMatch(exchange, { app, found });
    return { ...found, handlers: found.handlers.map(timed) };
  });
  return () => undoAll([undo, ...undos])();
}

/** Records the route. Its pattern is the key under which the application has the list of handlers that was found. */
function noteMatch(exchange: Exchange, { app, found }: { app: PolkaApp; found: PolkaMatch }): void {
  const { method = '', url = '', originalUrl = url } = exchange.incoming as Incoming; // polka sets these
  const isFound = ([, handlers]: [string, unknown]): boolean => handlers === found.handlers;
  const patterns = [app.handlers[method], app.handlers['*']].flatMap((known) => Object.entries(known ?? {}));
  const pattern = patterns.find(isFound)?.[0];
  if (pattern === undefined) return;
  const base = originalUrl.slice(0, originalUrl.length - url.length); // the path at which this application is mounted
  const path = base + (pattern.startsWith('/') ? pattern : `/${pattern}`);
  noteHandler(exchange, { method, path, handler: found.handlers.at(-1), parameters: found.params });
}

interface Incoming {
  readonly method?: string;
  readonly url?: string;
  readonly originalUrl?: string;
}
