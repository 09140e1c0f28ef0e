import type { HttpRequest } from '#http';
import { createAccessGuard } from '#profiler';
import { createScopeKey, type ScopeKey } from '#scope';
import type { Configuration } from './configuration.js';

/**
 * Whether this client may see debug output: never outside debug, else by the profiler's own guard. `origins`: those of
 * other development servers on this machine that may see it too.
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
  // Decided once for each request. The key belongs to this guard: one that takes other origins decides for itself.
  const shown: ScopeKey<boolean> = createScopeKey<boolean>('debug output is shown');
  return (request) => {
    let isShown = request.scope.getOwn(shown);
    if (isShown === undefined) request.scope.set(shown, (isShown = guard(request).allowed));
    return isShown;
  };
}
