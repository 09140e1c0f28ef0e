import {
  type CompiledRoutes,
  type Route,
  type RouteCollection,
  compileRoutes,
  type UrlContext,
  generateUrl,
} from '#routing';
import { type HttpRequest, requestLocale } from '#http';
import type { Logger } from '#log';

/** The compiled form of a collection, or of some of its routes, made again only after the collection has changed. */
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

/** Makes URLs of named routes as seen from a request: its host, scheme and locale are what can be left out. */
export function createUrlGenerator(
  routes: () => CompiledRoutes,
  log: Logger,
): (request: HttpRequest, name: string, parameters: Readonly<Record<string, unknown>>) => string {
  const onDeprecation = (text: string): void => log.warning(text);
  return (request, name, parameters) =>
    generateUrl(routes(), name, parameters, { context: urlContext(request), onDeprecation });
}

function urlContext(request: HttpRequest): UrlContext {
  const locale = request.scope.get(requestLocale);
  const context = { host: request.host, scheme: request.scheme, port: request.port, path: request.path };
  return locale === undefined ? context : { ...context, locale, parameters: { _locale: locale } };
}
