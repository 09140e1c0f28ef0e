import { safely } from '#core/coded-error';
import { isError } from '#core/errors';
import { replaceMethod } from '#core/patches';
import { type Exchange, findCurrentExchange, findExchange } from '../watch/exchange.js';
import { routesOfHapi } from './declared-routes.js';
import { noteFeathers } from './feathers.js';
import { mountPath, noteController, noteHandler, noteRoute } from '../watch/note-facts.js';

/** Properties that routers set on Node's request: restify, and Express if it was not patched. */
interface RoutedRequest {
  readonly method?: string;
  readonly baseUrl?: unknown;
  readonly route?: { readonly path?: unknown };
  readonly params?: unknown;
}

/**
 * Records the route, if none is recorded, and the error that routers stored on the messages. Called after the response.
 */
export function noteMessageFacts(exchange: Exchange): void {
  if (exchange.route === undefined) {
    const { method = '', baseUrl, route, params } = exchange.incoming as RoutedRequest; // all properties are optional
    if (typeof route?.path === 'string')
      noteRoute(exchange, { method, path: mountPath(baseUrl) + route.path }, params);
  }
  const { lookup } = exchange.incoming as { readonly lookup?: unknown }; // set by Feathers on Express
  const { hook } = exchange.outgoing as { readonly hook?: unknown }; // set by Feathers as well
  if (exchange.route === undefined) noteFeathers(exchange, exchange.incoming.method ?? '', { lookup, hook });
  const { err } = exchange.outgoing as { err?: unknown }; // set by restify, and by error handlers for pino-http
  if (isError(err)) exchange.error(err);
}

/** The hapi request properties that are read after the response. */
interface HapiRequest {
  readonly raw: { readonly req: object };
  readonly method: string;
  readonly params: unknown;
  readonly route: {
    readonly method: string;
    readonly path: string;
    readonly settings: { readonly handler?: unknown };
  };
  readonly server?: { readonly table?: () => readonly { readonly method: string; readonly path: string }[] };
  /** `_error` is the error from which hapi created the response. */
  readonly response?: { readonly _error?: unknown } | null;
}

/** Watches hapi's requests through their prototype: records route, handler and errors. */
export function watchHapi(prototype: object): (() => void) | undefined {
  return replaceMethod<HapiRequest>(prototype, '_execute', (former, args, request) => {
    const exchange = findExchange(request.raw.req);
    exchange?.atEnd.push(() => noteHapi(exchange, request));
    return Reflect.apply(former, request, args);
  });
}

function noteHapi(exchange: Exchange, request: HapiRequest): void {
  const { method, params, route, response } = request;
  const { server } = request;
  if (typeof server?.table === 'function') {
    const table = server.table();
    exchange.declareRoutes(server, table.length, () => routesOfHapi(table));
  }
  // A request without a route is answered by an internal hapi route.
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

/** The route that LoopBack 4 found for a request. A controller route names the controller and its method. */
interface LoopbackRoute {
  readonly verb?: unknown;
  readonly path?: unknown;
  readonly pathParams?: unknown;
  readonly _controllerName?: unknown;
  readonly _controllerCtor?: { readonly prototype?: object };
  readonly _methodName?: unknown;
}

/** Watches LoopBack's routing table: records matched requests' routes and controllers. */
export function watchLoopback(prototype: object): (() => void) | undefined {
  return replaceMethod<object>(prototype, 'find', (former, args, table) => {
    const found: unknown = Reflect.apply(former, table, args);
    const [request] = args;
    const exchange = typeof request === 'object' && request !== null ? findExchange(request) : undefined;
    if (exchange !== undefined) safely(() => noteLoopback(exchange, found), undefined);
    return found;
  });
}

function noteLoopback(exchange: Exchange, found: unknown): void {
  // For a request handled by a mounted Express application, this is the path as sent, not a pattern.
  if (typeof found !== 'object' || found === null || '_externalRouter' in found) return;
  const { verb, path, pathParams, _controllerName, _controllerCtor, _methodName } = found as LoopbackRoute; // all properties are optional
  if (typeof verb !== 'string' || typeof path !== 'string') return;
  noteRoute(exchange, { method: verb.toUpperCase(), path }, pathParams);
  if (typeof _controllerName !== 'string' || typeof _methodName !== 'string') return;
  noteController(exchange, `${_controllerName}.${_methodName}`, methodOf(_controllerCtor, _methodName));
}

/** Adonis' router result. A handler is a function, or names a class and a method. */
interface AdonisMatch {
  readonly params?: unknown;
  readonly route?: {
    readonly pattern?: unknown;
    readonly name?: unknown;
    readonly handler?: unknown;
  };
}

/** Watches Adonis' router: records route and handler. */
export function watchAdonis(prototype: object): (() => void) | undefined {
  return replaceMethod<object>(prototype, 'match', (former, args, router) => {
    const found: unknown = Reflect.apply(former, router, args);
    const exchange = findCurrentExchange();
    if (exchange !== undefined) safely(() => noteAdonis(exchange, found, String(args[1])), undefined);
    return found;
  });
}

function noteAdonis(exchange: Exchange, found: unknown, method: string): void {
  if (typeof found !== 'object' || found === null) return; // no route
  const { params, route = {} } = found as AdonisMatch; // all properties are optional
  const { pattern: path, handler } = route;
  if (typeof path !== 'string') return;
  if (typeof handler === 'function')
    return void noteHandler(exchange, { method, path, parameters: params, handler });
  noteRoute(exchange, { method, path }, params);
  const { reference } = (handler ?? {}) as { readonly reference?: unknown }; // for a class, with the method's name
  const [controller, name = 'handle']: readonly unknown[] = Array.isArray(reference) ? reference : [];
  // A class that is imported with its first request has no name here.
  if (typeof controller !== 'function' || controller.name === '' || typeof name !== 'string') return;
  const run = methodOf(controller, name);
  if (run !== undefined) noteController(exchange, `${controller.name}.${name}`, run);
}

/** A Polka 0.5 application, which is a Trouter 2: the patterns with their handlers, by method. */
interface PolkaApp {
  readonly handler?: unknown;
  /** Mounted applications by their first path segment: `/api`. */
  readonly apps?: Readonly<Record<string, unknown>>;
  readonly handlers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Mount paths of the applications that a request has passed through. */
const polkaMounts = new WeakMap<Exchange, string>();

/** Watches Polka applications' router: records route and handler. */
export function watchPolka(prototype: object): (() => void) | undefined {
  return replaceMethod<PolkaApp>(prototype, 'find', (former, args, app) => {
    const found: unknown = Reflect.apply(former, app, args);
    const exchange = findCurrentExchange();
    if (exchange !== undefined)
      safely(
        () => notePolka(exchange, app, { method: String(args[0]), path: String(args[1]), found }),
        undefined,
      );
    return found;
  });
}

function notePolka(
  exchange: Exchange,
  app: PolkaApp,
  search: { readonly method: string; readonly path: string; readonly found: unknown },
): void {
  // Other programs use the same router for their own purposes.
  if (typeof app.handler !== 'function' || typeof app.apps !== 'object') return;
  const { method, path, found } = search;
  const mount = polkaMounts.get(exchange) ?? '';
  if (typeof found !== 'object' || found === null) {
    // Without a route of its own, the application passes the request to the one mounted at the first segment.
    const [segment = ''] = /^\/[^/]+/.exec(path) ?? [];
    if (Object.hasOwn(app.apps, segment)) polkaMounts.set(exchange, mount + segment);
    return;
  }
  const { params, handlers } = found as { readonly params?: unknown; readonly handlers?: unknown }; // both are optional
  const pattern = patternOf(app, method, handlers);
  if (pattern === undefined || !Array.isArray(handlers)) return;
  const inside = pattern.startsWith('/') ? pattern : `/${pattern}`;
  const whole = mount !== '' && inside === '/' ? mount : mount + inside;
  noteHandler(exchange, { method, path: whole, parameters: params, handler: handlers.at(-1) });
}

/** Returns the pattern with which these handlers were added; `*` has routes for all methods. */
function patternOf(app: PolkaApp, method: string, handlers: unknown): string | undefined {
  for (const key of [method, '*'])
    for (const [pattern, added] of Object.entries(app.handlers?.[key] ?? {}))
      if (added === handlers) return pattern;
  return undefined;
}

function methodOf(declared: { readonly prototype?: object } | undefined, name: string): unknown {
  const { prototype } = declared ?? {};
  return prototype === undefined ? undefined : Object.getOwnPropertyDescriptor(prototype, name)?.value;
}
