import type { HttpRequest } from '#http';
import { requestRoute } from '#http';
import type { Logger } from '#log';
import type { CompiledRoutes, MatchResult, RouteRedirect } from '#routing';
import { encodePath, matchRoute } from '#routing';
import { requestEvent } from '../events/request-event.js';
import { kernelListener } from '../kernel-listener.js';
import type { KernelListener } from '../kernel-listener.js';
import { kernelPriority } from '../kernel-priority.js';
import type { RoutingOutcome } from '../routing-outcome.js';
import { routingOutcome } from '../routing-outcome.js';

export interface RouterListenerOptions {
  /** The routes as they are now; asked at each request. */
  readonly routes: () => CompiledRoutes;
  readonly log: Logger;
}

/** Row 3, the router: notes where the request goes. A miss is no error yet. */
export function createRouterListener(options: RouterListenerOptions): KernelListener {
  return kernelListener(
    requestEvent,
    ({ request }) => {
      if (request.scope.get(routingOutcome) !== undefined) return; // refused already, or routed by an earlier listener
      const result = matchRoute(options.routes(), {
        method: request.method,
        path: request.path,
        host: request.host,
        scheme: request.scheme,
        port: request.port,
        request,
      });
      request.scope.set(routingOutcome, noteOutcome(request, result));
    },
    { name: 'router', priority: kernelPriority.request.router },
  );
}

function noteOutcome(request: HttpRequest, result: MatchResult): RoutingOutcome {
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

/** A path of this site with the query as it was sent; absolute where the scheme changes or `//` would name a host. */
function redirectLocation(request: HttpRequest, redirect: RouteRedirect): string {
  const path = encodePath(redirect.path) + (request.rawQuery === '' ? '' : `?${request.rawQuery}`);
  if (redirect.scheme !== undefined && redirect.scheme !== request.scheme)
    return `${redirect.scheme}://${request.host}${path}`;
  return path.startsWith('//') ? request.origin + path : path;
}
