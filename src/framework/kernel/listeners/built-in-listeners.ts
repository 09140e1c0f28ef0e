import { isError, isHttpError } from '#core/errors';
import { isSafeHtml } from '#core/html';
import {
  ClientGoneResponse,
  type HttpRequest,
  HttpResponse,
  isClientGone,
  isWebResponse,
  locationOf,
  requestRoute,
  validateRequest,
} from '#core/http';
import type { Logger } from '#core/log';
import {
  type CompiledRoutes,
  encodePath,
  type MatchContext,
  type MatchResult,
  matchRoute,
  type Route,
  type RouteRedirect,
} from '#core/routing';
import { createScopeKey, type ScopeKey } from '#core/scope';
import {
  exceptionEvent,
  requestEvent,
  responseEvent,
  routingOutcome,
  type RoutingOutcome,
  viewEvent,
} from '../exchange/kernel-exchange.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';
import { readFormMethod } from './form-method.js';
import { formatType, jsonFormatType } from './format-type.js';

/** Marks an invalid request, so that it is refused after the remaining request listeners have run. */
export const validateRequestListener: KernelListener = kernelListener(
  requestEvent,
  ({ request }) => {
    try {
      validateRequest(request);
    } catch (error) {
      request.scope.set(routingOutcome, { kind: 'bad-request', error });
    }
  },
  { name: 'validate request', priority: kernelPriority.request.validate },
);

/** Creates the router listener, which stores the routing outcome. An unmatched request is not an error yet. */
export function createRouterListener({
  routes,
  log,
  takesFormMethod: isTaken = () => false,
}: {
  readonly routes: (request: HttpRequest) => CompiledRoutes;
  readonly log: Logger;
  /** Whether a form posted to a route's path may name the route's method in a `_method` field. */
  readonly takesFormMethod?: (route: Route) => boolean;
}): KernelListener {
  const find: RouteFinder = (request, path, method) =>
    matchRoute(routes(request), matchContext(request, path, method));
  return kernelListener(
    requestEvent,
    ({ request }) => {
      // An earlier listener has already rejected or routed the request.
      if (request.scope.getOwn(routingOutcome) !== undefined) return;
      const result = find(request, request.path);
      const named =
        request.source.method === 'POST'
          ? readFormMethod(request, result, {
              isTaken,
              find: (method) => find(request, request.path, method),
            })
          : undefined;
      if (named === undefined) return store(request, result);
      return named.then((method) => {
        if (method === undefined) return store(request, result);
        request.overrideMethod(method);
        store(request, find(request, request.path));
      });
    },
    { name: 'router', priority: kernelPriority.request.router },
  );

  function store(request: HttpRequest, result: MatchResult): void {
    const slash = result.kind === 'match' ? baseRedirect(request) : undefined;
    if (slash !== undefined) return request.scope.set(routingOutcome, slash);
    if (result.kind !== 'match') request.scope.set(routeFinder, find);
    request.scope.set(routingOutcome, createOutcome(request, result));
    logOutcome(log, request, result);
  }
}

/** Returns the routing input for a request. Pass `path` or `method` to match different ones. */
export function matchContext(
  request: HttpRequest,
  path: string = request.path,
  method: string = request.method,
): MatchContext {
  return { method, path, host: request.host, request };
}

function logOutcome(log: Logger, request: HttpRequest, result: MatchResult): void {
  if (result.kind === 'match') log.debug(`Matched the route ${result.route.name}.`);
  else
    log.info('No route matches the request.', {
      outcome: result.kind,
      method: request.method,
      path: request.path,
    });
}

function createOutcome(request: HttpRequest, result: MatchResult): RoutingOutcome {
  if (result.kind === 'redirect') {
    return {
      kind: 'redirect',
      location: redirectLocation(request, result),
      status: 301,
      by: 'slash',
    };
  }
  if (result.kind === 'match') {
    const { route, parameters } = result;
    request.scope.set(requestRoute, { name: route.name, path: route.path, parameters });
  }
  return result;
}

function redirectLocation({ basePath, rawQuery }: HttpRequest, { path }: RouteRedirect): string {
  return basePath + encodePath(path) + (rawQuery === '' ? '' : `?${rawQuery}`);
}

/** `/app` is the path `/` below `/app`, but without the slash that the page's relative links need. */
function baseRedirect({ method, basePath, rawPath, rawQuery }: HttpRequest): RoutingOutcome | undefined {
  if (rawPath !== '' || basePath === '' || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return { kind: 'redirect', location: locationOf(`${basePath}/`, rawQuery), status: 301, by: 'slash' };
}

/** Matches a request as if it had another (decoded) path, or another method. */
export type RouteFinder = (request: HttpRequest, path: string, method?: string) => MatchResult;

/** Set by the router if no route matches: the locale rewrite uses it to look up the prefixed path. */
export const routeFinder: ScopeKey<RouteFinder> = createScopeKey<RouteFinder>('route finder');

/**
 * Turns a result into a response: web `Response`, safe HTML, plain text, bytes, stream, or JSON; a missing result is an
 * error. The route's `_format` parameter may select another media type for texts, bytes, streams and JSON.
 */
export const viewListener: KernelListener = kernelListener(
  viewEvent,
  (event) => {
    event.response = responseOf(event.result, event.request);
  },
  { name: 'view', priority: kernelPriority.view.result },
);

function responseOf(result: unknown, request: HttpRequest): HttpResponse | undefined {
  if (typeof result === 'string') return HttpResponse.text(result, typed(formatType(request)));
  if (typeof result === 'number' || typeof result === 'boolean') return HttpResponse.json(result);
  if (typeof result !== 'object' || result === null) return undefined;
  if (isSafeHtml(result)) return HttpResponse.html(result.toString());
  if (isPlain(result)) return HttpResponse.json(result, typed(jsonFormatType(request)));
  if (isWebResponse(result)) return HttpResponse.fromWeb(result);
  if (result instanceof Uint8Array || result instanceof ReadableStream || isAsyncIterable(result))
    return HttpResponse.stream(result, typed(formatType(request)));
  if (isError(result)) return undefined;
  const response = HttpResponse.json(result, typed(jsonFormatType(request)));
  // JSON keeps nothing of a Map or a Blob.
  const isLost = response.body === '{}' && Object.prototype.toString.call(result) !== '[object Object]';
  return isLost ? undefined : response;
}

function typed(type: string | undefined): { readonly headers: Readonly<Record<string, string>> } | undefined {
  return type === undefined ? undefined : { headers: { 'Content-Type': type } };
}

/** Recognises plain objects, the most common result, before `responseOf` refers to classes that Node loads lazily. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !isAsyncIterable(value);
}

function isAsyncIterable(value: object): value is AsyncIterable<Uint8Array | string> {
  return Symbol.asyncIterator in value;
}

/** Renders the response to an error. If `render` fails, the kernel sends a minimal 500 response. */
export interface ErrorRenderer {
  render(error: unknown, request: HttpRequest): HttpResponse | Promise<HttpResponse>;
}

/** Creates the last exception listener: the error page, unless the error already has a response. */
export function createErrorListener(renderer: ErrorRenderer): KernelListener {
  return kernelListener(
    exceptionEvent,
    (event) => {
      const { error, request } = event;
      if (isClientGone(error, request)) {
        event.response = new ClientGoneResponse();
        return undefined;
      }
      const response = renderer.render(error, request);
      if (response instanceof Promise)
        return response.then((rendered) => void (event.response = withErrorHeaders(rendered, error)));
      event.response = withErrorHeaders(response, error);
      return undefined;
    },
    { name: 'error page', priority: kernelPriority.exception.errorPage },
  );
}

/** Adds the error's own headers, e.g. Allow, Retry-After or WWW-Authenticate, unless the response has them. */
function withErrorHeaders(response: HttpResponse, error: unknown): HttpResponse {
  if (!isHttpError(error)) return response;
  for (const [name, value] of Object.entries(error.headers)) {
    if (!response.headers.has(name)) response.headers.append(name, value);
  }
  return response;
}

/** Excludes responses from search engines: sets `X-Robots-Tag: noindex` unless the application has set the header. */
export const robotsListener: KernelListener = kernelListener(
  responseEvent,
  ({ response }) => {
    if (!response.headers.has('x-robots-tag')) response.headers.append('X-Robots-Tag', 'noindex');
  },
  { name: 'disallow robots', priority: kernelPriority.response.robots },
);
