import { callable, either, listOf, type OptionTypes, regularExpression, text } from '#core/options';
import {
  type HttpRequest,
  isInNetworks,
  parseHost,
  parseIpNetwork,
  requestRoute,
  isJsonType,
  safeMediaType,
} from '#core/http';
import { badOption } from '../secrets/error-codes.js';

/** Conditions for requests; all given conditions must be met. */
export interface RequestConditions {
  readonly path?: PathPattern | readonly PathPattern[];
  /** Host name without port (case-insensitive), or a regular expression. */
  readonly host?: string | RegExp;
  /** Methods; `GET` includes HEAD. */
  readonly methods?: readonly string[];
  /** Name of the matched route. */
  readonly route?: string | readonly string[];
  /** Client addresses or ranges: `10.0.0.0/8`, `::1`. */
  readonly ips?: readonly string[];
  readonly when?: (request: HttpRequest) => boolean;
}

const pathPattern = either(text, regularExpression);

/** The condition types for firewalls and access rules. */
export const requestConditionTypes: OptionTypes<RequestConditions> = {
  path: either(pathPattern, listOf(pathPattern)),
  host: either(text, regularExpression),
  methods: listOf(text),
  route: either(text, listOf(text)),
  ips: listOf(text),
  when: callable(),
};

/** Returns a function that tests requests against the conditions. Without conditions, every request matches. */
export function compileConditions(conditions: RequestConditions): (request: HttpRequest) => boolean {
  const { when = () => true } = conditions;
  refuseEmptyLists(conditions);
  if (typeof conditions.host === 'string') checkHost(conditions.host);
  const path = conditions.path === undefined ? undefined : compilePath(conditions.path);
  const host =
    typeof conditions.host === 'object' ? stateless(conditions.host) : conditions.host?.toLowerCase();
  const methods = conditions.methods && withHead(conditions.methods);
  const routes = conditions.route === undefined ? undefined : [conditions.route].flat();
  const networks = conditions.ips?.map(readNetwork);
  return (request) =>
    (path === undefined || path(request.path)) &&
    (host === undefined || (typeof host === 'string' ? request.host === host : host.test(request.host))) &&
    (methods === undefined || methods.has(request.method)) &&
    (routes === undefined || routes.includes(request.scope.get(requestRoute)?.name ?? '')) &&
    (networks === undefined || isInNetworks(request.clientAddress, networks)) &&
    when(request);
}

/** Refuses empty lists, with which a rule would protect nothing. */
function refuseEmptyLists({ path, methods, route, ips }: RequestConditions): void {
  for (const [name, given] of Object.entries({ path, methods, route, ips }))
    if (Array.isArray(given) && given.length === 0)
      throw badOption('a firewall or access rule', name, 'an empty list, which no request matches');
}

function checkHost(host: string): void {
  const parsed = parseHost(host);
  if (parsed !== undefined && parsed.host.length === host.length) return;
  throw badOption(
    'a firewall or access rule',
    'host',
    `"${host}", which no request has; write a host name without scheme and port, or a regular expression`,
  );
}

/** Returns the methods in upper case. Adds HEAD to GET, because the same controllers answer both. */
function withHead(methods: readonly string[]): ReadonlySet<string> {
  const set = new Set(methods.map((method) => method.toUpperCase()));
  if (set.has('GET')) set.add('HEAD');
  return set;
}

function readNetwork(text: string): NonNullable<ReturnType<typeof parseIpNetwork>> {
  const network = parseIpNetwork(text);
  if (network !== undefined) return network;
  throw badOption('an access rule', 'ips', `"${text}", which is not an address or range`);
}

/** `"/admin"`: that path and all below it (not `/administrator`); a regular expression is tested against the whole path. */
type PathPattern = string | RegExp;

/**
 * Returns a function that tests paths against one or several patterns. Throws `SECURITY_BAD_OPTION` for an invalid one.
 */
export function compilePath(pattern: PathPattern | readonly PathPattern[]): (path: string) => boolean {
  const patterns = [pattern].flat().map((one) => {
    const problem = typeof one === 'string' ? problemOfPath(one) : problemOfExpression(one);
    if (problem !== undefined) throw badOption('a firewall or access rule', 'path', problem);
    if (typeof one !== 'string') return stateless(one);
    return one.replace(/(?<!\/)\/+$/, '');
  });
  return (path) =>
    patterns.some((one) =>
      typeof one === 'string' ? path === one || path.startsWith(`${one}/`) : one.test(path),
    );
}

/** Returns why no request has a path; undefined if one may. */
function problemOfPath(path: string): string | undefined {
  if (!path.startsWith('/') || /[{}*]/.test(path))
    return `"${path}"; write "/admin", or a regular expression`;
  if (/[?#]/.test(path)) return `"${path}"; a path has no query and no fragment`;
  if (/%[\da-f]{2}/i.test(path))
    return `"${path}"; it is compared with the decoded path, so write it decoded`;
  if (/\/\.{1,2}(?:\/|$)/.test(path)) return `"${path}"; requests with dot segments match no rule`;
  return undefined;
}

/** Returns why an expression matches no path; undefined if it may. */
function problemOfExpression({ source, flags }: RegExp): string | undefined {
  const outsideGroups = source.replaceAll(/\\.|\([^()]*\)/g, '');
  const isSure = !flags.includes('m') && !outsideGroups.includes('|');
  if (!isSure || !/^\^[\w@~%-]/.test(source) || /^\^.[?*{]/.test(source)) return undefined;
  return `/${source}/${flags}, which no path matches: paths begin with a slash`;
}

/** Removes the sticky and global flags: with `lastIndex`, the next request would be tested from the wrong position. */
function stateless(expression: RegExp): RegExp {
  return new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''));
}

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** Returns whether the content type is JSON, which other sites' forms cannot send. */
export function hasJson(request: HttpRequest): boolean {
  const type = safeMediaType(request);
  return type !== undefined && isJsonType(type);
}

/** Returns a text field from a form body; undefined if the body is not a form or has no such field. */
export async function readBodyField(request: HttpRequest, name: string): Promise<string | undefined> {
  const isForm = formTypes.has(safeMediaType(request)?.essence ?? '');
  return isForm ? (await request.form()).get(name) : undefined;
}

/** Whether a redirect to a form helps: a browser that opens a page, or a client that accepts HTML rather than JSON. */
export function wantsPage(request: HttpRequest): boolean {
  if (hasJson(request)) return false;
  const { headers } = request;
  const accept = headers.get('accept') ?? '*/*';
  if (!/\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept))
    return headers.get('sec-fetch-mode') === 'navigate';
  return request.accepts(['text/html', 'application/json']) !== 'application/json';
}

const jsonTypes = ['application/json', 'application/problem+json'];

/**
 * Whether the client is a script, which cannot use a redirect to a page: it accepts JSON rather than HTML, or sends
 * JSON.
 */
export function wantsJson(request: HttpRequest): boolean {
  if (request.headers.get('sec-fetch-mode') === 'navigate') return false;
  const types = hasJson(request) ? [...jsonTypes, 'text/html'] : ['text/html', ...jsonTypes];
  return jsonTypes.includes(request.accepts(types) ?? '');
}
