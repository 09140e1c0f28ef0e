import { isJsonType, parseMediaType, type HttpRequest } from '#core/http';
import { routingOutcome } from '../exchange/kernel-exchange.js';

/**
 * Media types by the values of `_format`. HTML is missing: a controller's strings are not markup unless created with
 * `html`.
 */
const types: ReadonlyMap<string, string> = new Map([
  ['atom', 'application/atom+xml; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['csv', 'text/csv; charset=utf-8'],
  ['geojson', 'application/geo+json'],
  ['ics', 'text/calendar; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['json', 'application/json'],
  ['jsonld', 'application/ld+json'],
  ['md', 'text/markdown; charset=utf-8'],
  ['ndjson', 'application/x-ndjson'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['rss', 'application/rss+xml; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain; charset=utf-8'],
  ['vcf', 'text/vcard; charset=utf-8'],
  ['xml', 'application/xml; charset=utf-8'],
  ['yaml', 'application/yaml'],
  ['zip', 'application/zip'],
]);

/**
 * Returns the media type selected by the route's `_format` parameter, for results that are not responses; undefined if
 * there is none. It counts only if the route restricts it, with a requirement or as a default without a variable:
 * otherwise any client could have text interpreted as XML or as a script.
 */
export function formatType(request: HttpRequest): string | undefined {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind !== 'match') return undefined;
  const { route, parameters } = outcome;
  const format = parameters['_format'];
  const isLimited = route.requirements['_format'] !== undefined || !route.variables.includes('_format');
  return isLimited && typeof format === 'string' ? types.get(format) : undefined;
}

/** Like `formatType`, for a result that is sent as JSON: a JSON type such as `application/geo+json`. */
export function jsonFormatType(request: HttpRequest): string | undefined {
  const type = formatType(request);
  const parsed = type === undefined ? undefined : parseMediaType(type);
  return parsed !== undefined && isJsonType(parsed) ? type : undefined;
}
