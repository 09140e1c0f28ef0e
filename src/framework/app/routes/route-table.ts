import { type HttpRequest, requestLocale } from '#core/http';
import type { Logger } from '#core/log';
import {
  type CompiledRoutes,
  compileRoutes,
  lintRoutes,
  type Route,
  type RouteCollection,
  type UrlContext,
  type UrlOptions,
} from '#core/routing';

/**
 * Returns a function that compiles a collection's routes, and recompiles them only after the collection has changed.
 */
export function createRouteTable(
  routes: RouteCollection,
  only: (route: Route) => boolean = () => true,
): () => CompiledRoutes {
  let compiled: CompiledRoutes | undefined;
  let version = -1;
  return () => {
    if (compiled === undefined || version !== routes.version) {
      compiled = compileRoutes(routes, { only });
      version = routes.version;
    }
    return compiled;
  };
}

/** Returns the base for URLs generated in a request: its host, scheme and locale are the defaults. */
export function urlContext(request: HttpRequest): UrlContext {
  const locale = request.scope.get(requestLocale);
  const { host, scheme, port, basePath } = request;
  const context = { host, scheme, port, basePath };
  return locale === undefined ? context : { ...context, locale };
}

/** Adds the base to the options of a URL, whose own context wins. Wrong options are returned for `generateUrl` to refuse. */
export function withContext(options: UrlOptions, base: UrlContext): UrlOptions {
  const isObject = typeof options === 'object' && options !== null; // JavaScript may pass anything
  return isObject ? { ...options, context: { ...base, ...options.context } } : options;
}

/** Maximum number of findings that are logged; the command shows all. */
const maxShown = 20;

/** Logs the route findings that `lookback routes --lint` shows. */
export function warnAboutRoutes(routes: RouteCollection, log: Logger): void {
  const findings = lintRoutes(routes);
  for (const { rule, route, path, message } of findings.slice(0, maxShown)) {
    log.warning(`Route "${route}" (${path}): ${message}.`, { rule });
  }
  const more = findings.length - maxShown;
  if (more > 0) log.warning(`${more} more findings about routes: run lookback routes --lint to see them.`);
}
