import type { Logger } from '#log';
import { lintRoutes, type RouteCollection } from '#routing';

/** Maximum number of findings that are logged; the command shows the rest. */
const maxShown = 20;

/** Logs the findings about routes that `lookback routes --lint` shows. */
export function warnAboutRoutes(routes: RouteCollection, log: Logger): void {
  const findings = lintRoutes(routes);
  for (const { rule, route, path, message } of findings.slice(0, maxShown)) {
    log.warning(`Route "${route}" (${path}): ${message}.`, { rule });
  }
  const more = findings.length - maxShown;
  if (more > 0) log.warning(`${more} more findings about routes: run lookback routes --lint to see them.`);
}
