import { type HttpRequest, requestRoute } from '#http';
import type { Logger } from '#log';
import {
  type CompiledRoutes,
  type MatchContext,
  type MatchResult,
  type Route,
  type RouteRedirect,
  encodePath,
  matchRoute,
} from '#routing';
import { requestEvent } from '../exchange/kernel-events.js';
import { kernelListener, type KernelListener, kernelPriority } from '../kernel-listener.js';
import { type RoutingOutcome, routingOutcome } from '../exchange/routing-outcome.js';
import { type ScopeKey, createScopeKey } from '#scope';

export interface RouterListenerOptions {
  /** Returns the current routes that this client may use. */
  readonly routes: (request: HttpRequest) => CompiledRoutes;
  readonly log: Logger;
}

/** Row 3, the router: stores the routing outcome of the request. An unmatched request is not yet an error. */
export function createRouterListener(options: RouterListenerOptions): KernelListener {
  const { routes, log } = options;
  const find: RouteFinder = (request, path) => matchRoute(routes(request), matchContext(request, path));
  return kernelListener(
    requestEvent,
    ({ request }) => {
      // An earlier listener has already rejected or routed the request. The outcome of a parent request is ignored.
      if (request.scope.getOwn(routingOutcome) !== undefined) return;
      const result = find(request, request.path);
      if (result.kind === 'not-found') request.scope.set(routeFinder, find);
      request.scope.set(routingOutcome, createOutcome(request, result));
      logOutcome(log, request, result);
    },
    { name: 'router', priority: kernelPriority.request.router },
  );
}

/** Returns the routing input for a request. Pass `path` to match another path than the request's. */
export function matchContext(request: HttpRequest, path: string = request.path): MatchContext {
  const { method, host, scheme, port } = request;
  return { method, path, host, scheme, port, request };
}

/** Log context of a match, cached per route because it is the same for every request. */
const matchFacts = new WeakMap<Route, object>();

function matchFactsOf(route: Route): object {
  let facts = matchFacts.get(route);
  if (facts === undefined) matchFacts.set(route, (facts = Object.freeze({ route: route.name })));
  return facts;
}

function logOutcome(log: Logger, request: HttpRequest, result: MatchResult): void {
  if (result.kind === 'match') log.debug('Matched a route.', matchFactsOf(result.route));
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
      status: result.status,
      by: result.reason,
    };
  }
  if (result.kind === 'match') {
    const { route, parameters } = result;
    request.scope.set(requestRoute, { name: route.name, path: route.path, parameters });
  }
  return result;
}

/**
 * Returns a path with the original query, or an absolute URL if the scheme changes or a leading `//` would name a host.
 */
function redirectLocation(request: HttpRequest, redirect: RouteRedirect): string {
  const path = encodePath(redirect.path) + (request.rawQuery === '' ? '' : `?${request.rawQuery}`);
  if (redirect.scheme !== undefined && redirect.scheme !== request.scheme)
    return `${redirect.scheme}://${request.host}${path}`;
  return path.startsWith('//') ? request.origin + path : path;
}

/** Matches a request as if it had another path; `path` is decoded. */
export type RouteFinder = (request: HttpRequest, path: string) => MatchResult;

/**
 * Set by the router if no route matches, for later listeners: the locale rewrite uses it to look up the prefixed path.
 */
export const routeFinder: ScopeKey<RouteFinder> = createScopeKey<RouteFinder>('route finder');
