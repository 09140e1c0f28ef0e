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
  /** `fetch` of the application, which is called to replay a request. */
  readonly fetch: (request: Request, init: FetchInit) => Promise<Response>;
}

const wholeRequest: ValueResolver<HttpRequest> = { name: 'request', resolve: (request) => request };

/** Converts the configured retention to the options of the profiler. */
export function retentionOf({ retention }: Configuration): { records: number; ageMs: number; bytes: number } {
  return { records: retention.count, ageMs: retention.age * 1000, bytes: retention.bytes };
}

const ownRoutes = new WeakSet<object>();

/** Returns whether a route belongs to the pages of the profiler. */
export function isProfilerRoute({ target }: Pick<Route, 'target'>): boolean {
  return target instanceof RouteTarget && ownRoutes.has(target.controller);
}

/**
 * Creates the routes of the profiler's pages. For clients that may not see debug output their condition fails, so that the
 * request is answered like an unknown path.
 */
export function profilerRoutes(profiler: Profiler, parts: ProfilerRoutesParts): readonly AppRoute[] {
  const { debug, editor } = parts.configuration;
  // No client may see the pages; routes that refuse every client would only reveal themselves by their timing.
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
