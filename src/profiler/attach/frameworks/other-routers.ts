import { isError } from '#core/errors';
import { replaceMethod } from '#core/patches';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { mountPath, noteHandler, noteRoute } from '../watch/note-facts.js';

/** Properties that routers set on Node's request: restify, and Express if it was not patched. */
interface RoutedRequest {
  readonly method?: string;
  readonly baseUrl?: unknown;
  readonly route?: { readonly path?: unknown };
  readonly params?: unknown;
}

/** Records the route, if none is recorded, and the error that routers stored on the two messages. Called after the answer. */
export function noteMessageFacts(exchange: Exchange): void {
  if (exchange.route === undefined) {
    const { method = '', baseUrl, route, params } = exchange.incoming as RoutedRequest; // all properties are optional
    if (typeof route?.path === 'string')
      noteRoute(exchange, { method, path: mountPath(baseUrl) + route.path }, params);
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
