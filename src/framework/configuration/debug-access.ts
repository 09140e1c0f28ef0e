import type { HttpRequest } from '#http';
import { createAccessGuard } from '#profiler';
import { createScopeKey, type ScopeKey } from '#scope';
import type { Configuration } from './configuration.js';

/**
 * Creates the function that decides whether a client may see debug output: never outside of debug, otherwise decided by the
 * access guard of the profiler. `origins` are additional origins that may see it, e.g. of development servers.
 */
export function createDebugAccess(
  configuration: Configuration,
  origins: readonly string[] = [],
): (request: HttpRequest) => boolean {
  if (!configuration.debug) return () => false;
  const guard = createAccessGuard({
    hosts: configuration.trustedHosts,
    peers: configuration.debugPeers,
    origins,
    hostless: true,
  });
  // Decided once per request. Each guard has its own key, because guards with other origins decide differently.
  const shown: ScopeKey<boolean> = createScopeKey<boolean>('debug output is shown');
  return (request) => {
    let isShown = request.scope.getOwn(shown);
    if (isShown === undefined) request.scope.set(shown, (isShown = guard(request).allowed));
    return isShown;
  };
}
