import { findNearest } from '#core/coded-error';
import {
  anObject,
  checkOptions,
  checkValue,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  optionType,
  type OptionType,
  text,
} from '#core/options';
import type { CompiledRoutes } from '../compile/compile-routes.js';
import type { Route, RouteDefinition } from '../define/route.js';
import { routingErrors } from '../pattern/error-codes.js';
import { countRequired, type VariableToken } from '../pattern/parse-pattern.js';
import { requirementSource } from '../pattern/requirement.js';
import { parseBasePath } from './base-path.js';

/** The request for which URLs are generated; it determines which parts of a URL can be omitted. */
export interface UrlContext {
  /** Without port. Default `localhost`. */
  readonly host?: string;
  /** Default `http`. */
  readonly scheme?: string;
  /** The request's port; omitted from URLs if it is the scheme's default. */
  readonly port?: number;
  /** Also the value of the `_locale` variable if none is passed. */
  readonly locale?: string;
  /** Path below which the application is served, such as `/app`: all URLs begin with it. Default: none. */
  readonly basePath?: string;
}

/** `path` /blog · `absolute` https://host/blog · `network` //host/blog */
export type UrlType = 'path' | 'absolute' | 'network';

export interface UrlOptions {
  /** Default `path`. A route with another host uses at least `network`. */
  readonly type?: UrlType;
  readonly context?: UrlContext;
}

export const urlSchema: OptionsSchema<UrlOptions> = optionsSchema<UrlOptions>({
  type: oneOf('path', 'absolute', 'network'),
  context: anObject(), // checked for each request
});

const compiledRoutes: OptionType<CompiledRoutes> = optionType(
  'the result of compileRoutes()',
  (value) => typeof value === 'object' && value !== null && 'byKey' in value,
);

const urlParameters = anObject<Readonly<Record<string, unknown>>>('an object with values by name');

/**
 * Generates a named route's URL. The values of variables must match their requirements completely. Other values
 * are added to the query, and so is the record `_query`; `_fragment` follows the `#`. Values equal to a default are
 * omitted. The result cannot leave the site: no second slash at the start, no dot segments, no characters that end a
 * host.
 * @throws the ROUTING_… errors for unknown names, missing or invalid values, and values that would change the URL's
 * meaning
 */
export function generateUrl(
  compiled: CompiledRoutes,
  name: string,
  parameters: Readonly<Record<string, unknown>> = {},
  options: UrlOptions = {},
): string {
  checkValue('url()', 'compiled', compiled, compiledRoutes);
  checkValue('url()', 'name', name, text);
  checkValue('url()', 'parameters', parameters, urlParameters);
  checkOptions('url()', options, urlSchema);
  const { context = {}, type = 'path' } = options;
  const locales = [parameters['_locale'], context.locale].filter((locale) => typeof locale === 'string');
  const route = getRoute(compiled, name, locales);
  const values = collectValues(route, { _locale: context.locale }, parameters);
  refuseMissing(route, values);
  const { scheme = 'http', host: requested = 'localhost', basePath: given = '' } = context;
  const basePath = parseBasePath(given);
  if (basePath === undefined) {
    const problem = `"${given.slice(0, 100)}" is not a valid base path`;
    throw routingErrors.create('ROUTING_UNSAFE_URL', { route: route.name, problem });
  }
  const path = basePath + renderPath(route, values) + renderTail(route, parameters);
  const current = requested.toLowerCase();
  const host = renderHost(route, values) ?? current;
  if (type === 'path' && host === current) return path;
  if (!/^(?:[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?|\[[\da-f:.]+\])$/iu.test(host)) {
    const problem = `"${host}" is not a valid host name`;
    throw routingErrors.create('ROUTING_UNSAFE_URL', { route: route.name, problem });
  }
  const start = type === 'absolute' ? `${scheme}://` : '//';
  return `${start}${host}${portSuffix(scheme, context.port)}${path}`;
}

/** Collects the values: the route's defaults, overridden by the sources in order. */
function collectValues(
  route: Route,
  ...sources: readonly Readonly<Record<string, unknown>>[]
): Map<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(route.defaults));
  for (const [key, value] of sources.flatMap(Object.entries<unknown>))
    if (value !== undefined && value !== null) values.set(key, value);
  if (route.key !== route.name) values.set('_locale', route.locale);
  return values;
}

function refuseMissing(route: Route, values: ReadonlyMap<string, unknown>): void {
  const required = countRequired(route.pattern.tokens, route.defaults);
  const tokens = [...(route.hostPattern?.tokens ?? []), ...route.pattern.tokens.slice(0, required)];
  const missing = tokens.flatMap((token) =>
    token.kind === 'variable' && (values.get(token.name) ?? undefined) === undefined
      ? [`"${token.name}"`]
      : [],
  );
  if (missing.length === 0) return;
  throw routingErrors.create('ROUTING_MISSING_PARAMETERS', { route: route.name, names: missing.join(', ') });
}

function renderTail(route: Route, parameters: Readonly<Record<string, unknown>>): string {
  const extra = new Map<string, unknown>();
  const localised = route.key !== route.name;
  for (const key of Object.keys(parameters)) {
    const isKnown = route.variables.includes(key) || key === '_fragment' || key === '_query';
    if (isKnown || (key === '_locale' && localised)) continue;
    if (!isDefault(route, key, parameters[key])) extra.set(key, parameters[key]);
  }
  const query = parameters['_query'];
  if (typeof query === 'object' && query !== null) {
    for (const [key, value] of Object.entries(query)) extra.set(key, value);
  }
  const text = [...extra].flatMap(([key, one]) => queryPairs(key, one, 0)).join('&');
  const fragment = parameters['_fragment'] ?? route.defaults['_fragment'];
  const hash = typeof fragment === 'string' && fragment !== '' ? `#${encodeQueryPart(fragment)}` : '';
  return (text === '' ? '' : `?${text}`) + hash;
}

function isDefault({ defaults }: Route, name: string, value: unknown): boolean {
  if (!Object.hasOwn(defaults, name)) return false;
  const text = scalarText(value);
  return defaults[name] === value || (text !== undefined && text === scalarText(defaults[name]));
}

function portSuffix(scheme: string, port: number | undefined): string {
  const usual = scheme === 'https' ? 443 : scheme === 'http' ? 80 : undefined;
  return port === undefined || port === usual ? '' : `:${port}`;
}

/** Renders a route's encoded path. Trailing variables that equal their defaults are omitted. */
function renderPath(route: Route, values: ReadonlyMap<string, unknown>): string {
  let path = '';
  let open = true;
  for (const token of route.pattern.tokens.toReversed()) {
    if (token.kind === 'variable' && open && canLeaveOut(route, token, values)) continue;
    open = false;
    path = (token.kind === 'text' ? token.text : token.prefix + renderVariable(route, token, values)) + path;
  }
  const whole = path === '' ? '/' : path;
  const dots = /(?:^|\/)(\.\.?)(?:\/|$)/.exec(whole);
  if (dots === null) return encodePath(whole);
  const problem = `its path "${whole}" contains the segment "${dots[1] ?? ''}", which browsers resolve away`;
  throw routingErrors.create('ROUTING_UNSAFE_URL', { route: route.name, problem });
}

/** Renders a route's host, in lower case; returns undefined for routes without a host. */
function renderHost(route: Route, values: ReadonlyMap<string, unknown>): string | undefined {
  return route.hostPattern?.tokens
    .map((token) =>
      token.kind === 'text' ? token.text : token.prefix + renderVariable(route, token, values),
    )
    .join('')
    .toLowerCase();
}

function canLeaveOut(route: Route, token: VariableToken, values: ReadonlyMap<string, unknown>): boolean {
  if (token.always || !Object.hasOwn(route.defaults, token.name)) return false;
  const value = values.get(token.name) ?? null;
  return value === null || isDefault(route, token.name, value);
}

function renderVariable(route: Route, token: VariableToken, values: ReadonlyMap<string, unknown>): string {
  const value = values.get(token.name);
  const text = scalarText(value);
  const requirement = requirementSource(route, token);
  if (text !== undefined && !/[\p{Surrogate}\0]/u.test(text)) {
    const flags = route.hostPattern?.tokens.includes(token) === true ? 'siu' : 'su';
    if (new RegExp(`^(?:${requirement})$`, flags).test(text)) return text;
  }
  throw routingErrors.create('ROUTING_PARAMETER_MISMATCH', {
    route: route.name,
    variable: token.name,
    requirement,
    value: text === undefined ? `a value of type ${typeof value}` : `"${text.slice(0, 200)}"`,
  });
}

/**
 * Returns the route with a name, or its version in the best of `locales`, where `fr` also serves `fr_CA`. @throws
 * ROUTING_UNKNOWN_ROUTE
 */
function getRoute(compiled: CompiledRoutes, name: string, locales: readonly string[]): Route {
  const { byKey, routes } = compiled;
  const only = byKey.get(name);
  if (only !== undefined) return only;
  for (const locale of locales.flatMap((one) => [one, one.replace(/[_-].*$/s, '')])) {
    const found = byKey.get(`${name}.${locale}`);
    if (found?.name === name) return found;
  }
  const known = routes.flatMap((route) => (route.name === name ? [route.locale] : []));
  const names = new Set(routes.flatMap((route) => [route.key, route.name]));
  const near = findNearest(name, [...names]).map((one) => `"${one}"`);
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  const nearest = known.length === 0 ? meant : ` It only has paths for the locales ${known.join(', ')}.`;
  throw routingErrors.create('ROUTING_UNKNOWN_ROUTE', { route: name, nearest });
}

/**
 * Encodes a decoded path for a URL (RFC 3986): characters that are not allowed in a path, and `%`, become `%XX`, so
 * that decoding once restores the path. A second slash at the start is encoded too, because `//` would begin a host
 * name.
 */
export function encodePath(path: string): string {
  const encoded = percentEncode(path).replace(/%(2F|40|3A|3B|2C|3D|2B|21|2A|7C)/g, decodeURIComponent);
  return encoded.startsWith('//') ? `/%2F${encoded.slice(2)}` : encoded;
}

/** Encodes a query key, a query value, or a fragment. Spaces become `%20`; `/ ? : @ ! ; , *` are not encoded. */
function encodeQueryPart(text: string): string {
  return percentEncode(text).replace(/%(2F|3F|40|3A|21|3B|2C|2A)/g, decodeURIComponent);
}

/** Renders a value as query pairs: `a[0]=…`, `a[key]=…`, 1 and 0 for booleans; omits null. At most 16 levels. */
function queryPairs(key: string, value: unknown, depth: number): string[] {
  if (value === undefined || value === null || depth > 16) return [];
  if (value instanceof Date) return [pair(key, value.toISOString())];
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([inner, one]) => queryPairs(`${key}[${inner}]`, one, depth + 1));
  }
  const text = scalarText(value);
  return text === undefined ? [] : [pair(key, text)];
}

function pair(key: string, text: string): string {
  return `${encodeQueryPart(key)}=${encodeQueryPart(text)}`;
}

/** Returns a string's text, number, bigint or boolean (1 and 0); undefined for everything else. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

function percentEncode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns the definitions unchanged, with literal names and paths in their type. */
export function defineRoutes<const Definitions extends readonly RouteDefinition[]>(
  definitions: Definitions,
): Definitions {
  return definitions;
}
