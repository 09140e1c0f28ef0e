import { createRedactor } from '#dump';
import { createSourceLoader } from '#errors';
import { type HttpRequest, type TrustPolicy, createTrustPolicy } from '#http';
import { defaultServerLimits } from '#http/node';
import { matchContext } from '#kernel';
import type { CompiledRoutes, MatchTrace } from '#routing';
import { createRoutes, explainMatch } from '#routing';
import { type ScopeKey, createScopeKey } from '#scope';
import type { AppFoundation } from '../app/app-foundation.js';
import type { AppOptions } from '../app/app-options.js';
import type { Configuration } from '../configuration/configuration.js';
import { createDebugAccess } from '../configuration/debug-access.js';
import { readConfiguration } from '../configuration/read-configuration.js';
import { createRouteTable } from '../routes/route-table.js';
import { isProfilerRoute } from '../recording/profiler-routes.js';

/** Cached routing trace of a request, shared by the record and the error page. */
const matchTrace: ScopeKey<MatchTrace> = createScopeKey<MatchTrace>('match trace');

export function createFoundation(options: AppOptions): AppFoundation {
  const configuration: Configuration = { ...readConfiguration(process.env), ...options.configuration };
  const redactor = createRedactor();
  const routes = createRoutes();
  const table = createRouteTable(routes);
  const publicTable = createRouteTable(routes, (route) => !isProfilerRoute(route));
  const isShown = createDebugAccess(configuration, configuration.debugOrigins);
  const hidesRoutes = configuration.debug && configuration.profilerStore !== 'off';
  const tableFor = (request: HttpRequest): CompiledRoutes =>
    !hidesRoutes || isShown(request) ? table() : publicTable();
  return {
    configuration,
    redactor,
    flatten: { redactor, sources: createSourceLoader() },
    routes,
    table,
    tableFor,
    trust: trustOf(configuration),
    limits: { ...defaultServerLimits, ...options.limits },
    isShown,
    explain(request) {
      let trace = request.scope.getOwn(matchTrace);
      if (trace === undefined)
        request.scope.set(matchTrace, (trace = explainMatch(tableFor(request), matchContext(request))));
      return trace;
    },
  };
}

const loopbackNames = ['localhost', '*.localhost', '127.0.0.1', '[::1]'];

/** Creates the trust policy. Without configured hosts, debug allows only loopback names and the configured host. */
function trustOf(configuration: Configuration): TrustPolicy {
  const { trustedProxies, trustedHosts, debug, host } = configuration;
  const own = host.includes(':') ? `[${host}]` : host;
  const debugHosts = own === '0.0.0.0' || own === '[::]' ? loopbackNames : [...loopbackNames, own];
  return createTrustPolicy({
    trustedProxies,
    trustedHosts:
      trustedHosts.length > 0
        ? [...trustedHosts, ...(debug ? loopbackNames : [])]
        : debug
          ? debugHosts
          : undefined,
  });
}
