import { isJsonType, parseMediaType, type HttpRequest } from '#core/http';
import { routingOutcome } from '../exchange/kernel-exchange.js';

/** Media types by the values of `_format`. HTML is none: strings of a controller are no markup until `html` made them so. */
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
 * Returns the media type that the parameter `_format` of the route names, for results that are no responses; undefined if it
 * names none. It counts only if the route limits it, by a requirement or as a default without a variable: otherwise any
 * client could have a text read as XML or as a script.
 */
export function formatType(request: HttpRequest): string | undefined {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind !== 'match') return undefined;
  const { route, parameters } = outcome;
  const format = parameters['_format'];
  const isLimited = route.requirements['_format'] !== undefined || !route.variables.includes('_format');
  return isLimited && typeof format === 'string' ? types.get(format) : undefined;
}

/** Returns the same for a result that is sent as JSON: a type of JSON, such as `application/geo+json`. */
export function jsonFormatType(request: HttpRequest): string | undefined {
  const type = formatType(request);
  const parsed = type === undefined ? undefined : parseMediaType(type);
  return parsed !== undefined && isJsonType(parsed) ? type : undefined;
}
