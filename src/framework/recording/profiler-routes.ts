import type { ValueResolver } from '#controller';
import { HttpRequest } from '#http';
import { type Profiler, createProfilerPages } from '#profiler';
import type { ProfilerAdditions } from '../app/app-options.js';
import { createDebugAccess } from '../configuration/debug-access.js';
import type { Configuration } from '../configuration/configuration.js';
import type { FetchInit } from '../app/app.js';
import type { AppRoute } from '../app/route-attribute.js';
import type { Route } from '#routing';
import { queryExplainer } from '#taps';
import { RouteTarget } from '../routes/route-target.js';

export interface ProfilerRoutesParts {
  readonly configuration: Configuration;
  readonly additions: ProfilerAdditions;
  /** The application's own; called when a request is sent again. */
  readonly fetch: (request: Request, init: FetchInit) => Promise<Response>;
}

const wholeRequest: ValueResolver<HttpRequest> = { name: 'request', resolve: (request) => request };

/** What a store keeps at most, as the profiler takes it. */
export function retentionOf({ retention }: Configuration): { records: number; ageMs: number; bytes: number } {
  return { records: retention.count, ageMs: retention.age * 1000, bytes: retention.bytes };
}

const ownRoutes = new WeakSet<object>();

/** Whether a route is one of the profiler's pages. */
export function isProfilerRoute({ target }: Pick<Route, 'target'>): boolean {
  return target instanceof RouteTarget && ownRoutes.has(target.controller);
}

/**
 * The profiler's pages as routes. To whom debug output is not shown they do not exist: the condition fails, and the
 * request ends as any other unknown path does.
 */
export function profilerRoutes(profiler: Profiler, parts: ProfilerRoutesParts): readonly AppRoute[] {
  const { debug, editor } = parts.configuration;
  // Pages are shown to no one: a route that refuses everyone would only be there to be timed.
  if (!debug) return [];
  const isOpen = createDebugAccess(parts.configuration);
  const pages = createProfilerPages({
    reader: profiler,
    retention: retentionOf(parts.configuration),
    access: (request) => (isOpen(request) ? { allowed: true } : { allowed: false, reason: 'not shown' }),
    panels: parts.additions.panels ?? [],
    explainer: queryExplainer,
    replay: (request, { peer }) => parts.fetch(request, { peer }),
    ...(editor === undefined ? {} : { editor }),
  });
  for (const { controller } of pages) ownRoutes.add(controller);
  return pages.map((page) => ({
    ...page,
    arguments: [wholeRequest],
    condition: (_context, request) => request instanceof HttpRequest && isOpen(request),
  }));
}
