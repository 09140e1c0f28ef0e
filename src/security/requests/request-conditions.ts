import { type OptionNames, optionNames } from '#coded-error';
import { type HttpRequest, isInNetworks, parseIpNetwork, requestRoute, isJsonType } from '#http';
import { badOption, securityErrors } from '../secrets/error-codes.js';

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

export const requestConditionsNames: OptionNames<RequestConditions> = optionNames(
  'path host methods route ips when',
);

/** Returns a function that tests requests for the conditions. Without conditions every request matches. */
export function compileConditions(conditions: RequestConditions): (request: HttpRequest) => boolean {
  const tests: ((request: HttpRequest) => boolean)[] = [];
  const { path, host, methods, route, ips, when } = conditions;
  if (path !== undefined) {
    const test = compilePath(path);
    tests.push((request) => test(request.path));
  }
  if (host !== undefined) {
    const test = typeof host === 'string' ? isSame(host.toLowerCase()) : compileExpression(host);
    tests.push((request) => test(request.host));
  }
  if (methods !== undefined) {
    const allowed = withHead(methods);
    tests.push((request) => allowed.has(request.method));
  }
  if (route !== undefined) {
    const names = [route].flat();
    tests.push((request) => names.includes(request.scope.get(requestRoute)?.name ?? ''));
  }
  if (ips !== undefined) {
    const networks = ips.map(readNetwork);
    tests.push((request) => isInNetworks(request.clientAddress, networks));
  }
  if (when !== undefined) tests.push(when);
  return (request) => tests.every((test) => test(request));
}

/** Returns the methods in upper case. Adds HEAD to GET, because the same controllers answer both. */
export function withHead(methods: readonly string[]): ReadonlySet<string> {
  const set = new Set(methods.map((method) => method.toUpperCase()));
  if (set.has('GET')) set.add('HEAD');
  return set;
}

function readNetwork(text: string): NonNullable<ReturnType<typeof parseIpNetwork>> {
  const network = parseIpNetwork(text);
  if (network !== undefined) return network;
  throw badOption('an access rule', 'ips', `"${text}", which is not an address or range`);
}

function isSame(wanted: string): (text: string) => boolean {
  return (text) => text === wanted;
}

/**
 * A pattern for paths: `"/admin"` matches that path and all paths below it (but not `/administrator`); a regular expression
 * is tested against the whole path.
 */
type PathPattern = string | RegExp;

/** Returns a function that tests paths for one or several patterns. Throws `SECURITY_BAD_PATTERN` for an invalid one. */
export function compilePath(pattern: PathPattern | readonly PathPattern[]): (path: string) => boolean {
  const tests = [pattern]
    .flat()
    .map((one) => (typeof one === 'string' ? compileText(one) : compileExpression(one)));
  return (path) => tests.some((test) => test(path));
}

function compileExpression(expression: RegExp): (path: string) => boolean {
  // Sticky and global expressions keep `lastIndex`, so that the next request would be tested from there.
  const stateless = new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''));
  return (path) => stateless.test(path);
}

function compileText(pattern: string): (path: string) => boolean {
  if (!pattern.startsWith('/') || /[{}*]/.test(pattern))
    throw securityErrors.create('SECURITY_BAD_PATTERN', { pattern });
  const prefix = pattern.replace(/\/+$/, '');
  return (path) => path === prefix || path.startsWith(`${prefix}/`);
}

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** Returns whether the content type is JSON, which forms of other sites cannot send. */
export function hasJson(request: HttpRequest): boolean {
  const type = mediaTypeOf(request);
  return type !== undefined && isJsonType(type);
}

/** Returns a text field of a form body; undefined if the body is not a form or has no such field. */
export async function readBodyField(request: HttpRequest, name: string): Promise<string | undefined> {
  const isForm = formTypes.has(mediaTypeOf(request)?.essence ?? '');
  return isForm ? (await request.form()).get(name) : undefined;
}

function mediaTypeOf(request: HttpRequest): HttpRequest['mediaType'] {
  try {
    return request.mediaType;
  } catch {
    return undefined; // an invalid content type, which is refused when the body is read
  }
}

/**
 * Returns whether the client can use a redirect to a form: a browser that opens a page, or a client that accepts HTML and
 * does not prefer JSON. Other clients (`fetch`, programs that accept anything) get a status that requires a login.
 */
export function wantsPage(request: HttpRequest): boolean {
  if (hasJson(request)) return false;
  const { headers } = request;
  const accept = headers.get('accept') ?? '*/*';
  if (!/\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept))
    return headers.get('sec-fetch-mode') === 'navigate';
  return request.accepts(['text/html', 'application/json']) !== 'application/json';
}
