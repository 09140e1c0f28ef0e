import { isError } from '#errors';
import { replaceMethod } from '#patches';
import { type Exchange, findExchange } from '../watch/exchange.js';
import { noteHandler, noteRoute } from '../watch/note-facts.js';

/** What routers leave on Node's own messages: restify, and Express where nothing else is known of it. */
interface LeftBehind {
  readonly method?: string;
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown };
  readonly params?: unknown;
}

/** Notes, when the answer is out, what was left on the two messages, if no route has been noted. */
export function noteLeftBehind(exchange: Exchange): void {
  if (exchange.route === undefined) {
    const { method = '', baseUrl = '', route, params } = exchange.incoming as LeftBehind; // of whoever routed it
    if (typeof route?.path === 'string') noteRoute(exchange, { method, path: baseUrl + route.path }, params);
  }
  const { err } = exchange.outgoing as { err?: unknown }; // where restify, and handlers for pino-http, leave what was thrown
  if (isError(err)) exchange.error(err);
}

/** What is read of a request of hapi when it is over. */
interface HapiRequest {
  readonly raw: { readonly req: object };
  readonly method: string;
  readonly params: unknown;
  readonly route: {
    readonly method: string;
    readonly path: string;
    readonly settings: { readonly handler?: unknown };
  };
  /** With the error that it was made of. */
  readonly response?: { readonly _error?: unknown } | null;
}

/** Every request of the hapi whose prototype is given: route, handler and what was thrown. */
export function watchHapi(prototype: object): (() => void) | undefined {
  return replaceMethod<HapiRequest>(prototype, '_execute', (former, args, request) => {
    const exchange = findExchange(request.raw.req);
    exchange?.atEnd.push(() => noteHapi(exchange, request));
    return Reflect.apply(former, request, args);
  });
}

function noteHapi(exchange: Exchange, { method, params, route, response }: HapiRequest): void {
  // What no route takes one of hapi's own answers.
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
