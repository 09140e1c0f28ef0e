import { type HttpRequest, isInNetworks, parseIpNetwork, requestRoute } from '#http';
import { badOption, securityErrors } from '../errors/error-codes.js';

/** Which requests something holds for; all that is said has to be true. */
export interface RequestConditions {
  readonly path?: PathPattern | readonly PathPattern[];
  /** Host name without port, compared without case, or an expression. */
  readonly host?: string | RegExp;
  /** `GET` stands for HEAD as well. */
  readonly methods?: readonly string[];
  /** Name of the route that matched. */
  readonly route?: string | readonly string[];
  /** Addresses or ranges of the client: `10.0.0.0/8`, `::1`. */
  readonly ips?: readonly string[];
  readonly when?: (request: HttpRequest) => boolean;
}

/** Makes the test of some conditions; none are true of every request. */
export function compileConditions(conditions: RequestConditions): (request: HttpRequest) => boolean {
  const tests: ((request: HttpRequest) => boolean)[] = [];
  const { path, host, methods, route, ips, when } = conditions;
  if (path !== undefined) {
    const test = compilePath(path);
    tests.push((request) => test(request.path));
  }
  if (host !== undefined) tests.push(hostTest(host));
  if (methods !== undefined) {
    const allowed = withHead(methods);
    tests.push((request) => allowed.has(request.method));
  }
  if (route !== undefined) {
    const names: readonly string[] = typeof route === 'string' ? [route] : route;
    tests.push((request) => names.includes(request.scope.get(requestRoute)?.name ?? ''));
  }
  if (ips !== undefined) {
    const networks = ips.map(readNetwork);
    tests.push((request) => isInNetworks(request.clientAddress, networks));
  }
  if (when !== undefined) tests.push(when);
  return (request) => tests.every((test) => test(request));
}

/** Methods in capitals; whoever guards GET guards HEAD, which the same controllers answer. */
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

function hostTest(host: string | RegExp): (request: HttpRequest) => boolean {
  if (typeof host === 'string') {
    const wanted = host.toLowerCase();
    return (request) => request.host === wanted;
  }
  const test = compileExpression(host);
  return (request) => test(request.host);
}

/**
 * Which paths something holds for: `"/admin"` is that path and all below it (never `/administrator`), `"/{any}/admin"`
 * allows one segment of any text, a regular expression is tested against the whole path.
 */
type PathPattern = string | RegExp;

/** Makes the test of one or several patterns. Throws `SECURITY_BAD_PATTERN`. */
export function compilePath(pattern: PathPattern | readonly PathPattern[]): (path: string) => boolean {
  if (Array.isArray(pattern)) {
    const tests = (pattern as readonly PathPattern[]).map((one) => compilePath(one)); // Array.isArray loses readonly arrays
    return (path) => tests.some((test) => test(path));
  }
  const single = pattern as PathPattern; // arrays were dealt with above
  return typeof single === 'string' ? compileText(single) : compileExpression(single);
}

function compileExpression(expression: RegExp): (path: string) => boolean {
  // Sticky and global expressions remember where they stopped: the next request would be tested from there.
  const stateless = new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''));
  return (path) => stateless.test(path);
}

function compileText(pattern: string): (path: string) => boolean {
  if (!pattern.startsWith('/')) {
    throw securityErrors.create('SECURITY_BAD_PATTERN', {
      pattern,
      problem: 'it does not start with a slash',
    });
  }
  const wanted = pattern.replace(/\/+$/, '').split('/').slice(1);
  for (const segment of wanted) {
    if (/[{}*]/.test(segment) && !/^\{[A-Za-z_]\w*\}$/.test(segment)) {
      throw securityErrors.create('SECURITY_BAD_PATTERN', {
        pattern,
        problem: `"${segment}" is neither text nor a placeholder`,
      });
    }
  }
  if (!wanted.some((segment) => segment.startsWith('{'))) {
    const prefix = pattern.replace(/\/+$/, '');
    return (path) => path === prefix || path.startsWith(`${prefix}/`);
  }
  return (path) => startsWithSegments(path.split('/').slice(1), wanted);
}

function startsWithSegments(segments: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((segment, index) => {
    const given = segments[index];
    return segment.startsWith('{') ? given !== undefined && given !== '' : given === segment;
  });
}
