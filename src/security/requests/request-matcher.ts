import type { HttpRequest } from '#http';
import { isInNetworks, parseIpNetwork, requestRoute } from '#http';
import { securityErrors } from '../errors/error-codes.js';
import type { PathPattern } from './path-pattern.js';
import { compilePath } from './path-pattern.js';

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
  throw securityErrors.create('SECURITY_BAD_OPTION', {
    option: 'ips',
    what: 'an access rule',
    problem: `"${text}", which is no address or range`,
  });
}

function hostTest(host: string | RegExp): (request: HttpRequest) => boolean {
  if (typeof host === 'string') {
    const wanted = host.toLowerCase();
    return (request) => request.host === wanted;
  }
  const stateless = new RegExp(host.source, host.flags.replace(/[gy]/g, ''));
  return (request) => stateless.test(request.host);
}
