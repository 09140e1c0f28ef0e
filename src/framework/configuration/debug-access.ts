import type { HttpRequest } from '#http';
import { createAccessGuard } from '#profiler';
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
  return (request) => guard(request).allowed;
}
