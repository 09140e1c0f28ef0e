import type { HttpRequest } from '#http';
import { requestLocale } from '#http';
import type { Logger } from '#log';
import type { CompiledRoutes, UrlContext } from '#routing';
import { generateUrl } from '#routing';

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
