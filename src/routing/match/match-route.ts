import { CodedError, nameErrors } from '#coded-error';
import type { CompiledRoutes } from '../compile/compile-routes.js';
import type { RouteLeaf } from '../compile/path-shape.js';
import type { MatchContext, MatchResult, RouteRedirect } from '../define/route.js';
import { routingErrors } from '../pattern/error-codes.js';
import { searchRoutes, type Search, readParameters } from './walk-trie.js';

const notFound: MatchResult = Object.freeze({ kind: 'not-found' });

/**
 * Finds the first route, by priority and then definition, that matches path and host, accepts the method, and
 * whose condition is met. Walks down a trie once. Throws only errors of a condition.
 */
export function matchRoute(compiled: CompiledRoutes, context: MatchContext): MatchResult {
  const path = context.path === '' ? '/' : context.path;
  const known = path.length > compiled.longestStatic ? undefined : compiled.statics.get(path);
  if (known !== undefined && known.method === context.method) return known.match;
  const search = searchRoutes(compiled, context, path);
  if (search.best === undefined) return answerMiss(compiled, search);
  const parameters = readParameters(search.best, search.segments, search);
  return { kind: 'match', route: search.best.route, parameters };
}

/** Returns the result if no route matches: a redirect to another trailing slash, a wrong method, or not found. */
function answerMiss(compiled: CompiledRoutes, search: Search): MatchResult {
  const { context, wrongMethod, wrongSlash } = search;
  if (wrongSlash && (context.method === 'GET' || context.method === 'HEAD')) {
    const redirect = redirectToSlash(compiled, search);
    if (redirect !== undefined) return redirect;
  }
  return wrongMethod === undefined
    ? notFound
    : { kind: 'method-not-allowed', allow: collectAllow(wrongMethod) };
}

/** Collects the methods of all leaves, in the order of routes. */
function collectAllow(leaves: readonly RouteLeaf[]): readonly string[] {
  const sorted = leaves.toSorted((a, b) => a.order - b.order);
  return [...new Set(sorted.flatMap(({ route }) => route.methods))];
}

/** Returns a redirect to the path with the trailing slash added or removed, if a route matches it. */
function redirectToSlash(compiled: CompiledRoutes, search: Search): RouteRedirect | undefined {
  const { path } = search;
  // In a Location header, a path that begins with two slashes would lead to another host.
  if (compiled.strict || path === '/' || path.startsWith('//')) return undefined;
  const target = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  const { best } = searchRoutes(compiled, search.context, target);
  return best && { kind: 'redirect', route: best.route, path: target, status: 301, reason: 'slash' };
}

/**
 * Decodes the path of a request once: every `%XX` (so `%2F` becomes a slash); `+` remains a plus. Router and firewall use
 * only this result. The path must not include query and fragment. An empty path becomes `/`.
 * @throws ROUTING_MALFORMED_PATH for a malformed percent-encoding, invalid UTF-8, or NUL.
 */
export function decodePath(rawPath: string): string {
  if (rawPath === '') return '/';
  const path = rawPath.includes('%') ? decodePercent(rawPath) : rawPath;
  if (path.includes('\0')) throw malformedPath('it holds a NUL character');
  return path;
}

function decodePercent(rawPath: string): string {
  try {
    return decodeURIComponent(rawPath);
  } catch (cause) {
    const broken = /%(?![0-9A-Fa-f]{2})/.exec(rawPath);
    if (broken === null) throw malformedPath('its octets are no valid UTF-8', cause);
    throw malformedPath(`a "%" at position ${broken.index} is not followed by two hexadecimal digits`, cause);
  }
}

function malformedPath(problem: string, cause?: unknown): Error {
  return routingErrors.create('ROUTING_MALFORMED_PATH', { problem }, { cause });
}

/** No route matches the path. `path` is the decoded path; the message shows it with a trailing slash. */
export class ResourceNotFoundError extends CodedError {
  readonly path: string;

  constructor(path: string) {
    super('ROUTING_NOT_FOUND', `No routes found for "${path.endsWith('/') ? path : `${path}/`}"`);
    this.path = path;
  }

  static {
    nameErrors(this, 'ResourceNotFoundError');
  }
}

/** Routes match the path, but only with other methods: `allow`, in the order of the routes. */
export class MethodNotAllowedRouteError extends CodedError {
  readonly path: string;
  readonly method: string;
  readonly allow: readonly string[];

  constructor(method: string, path: string, allow: readonly string[]) {
    super(
      'ROUTING_METHOD_NOT_ALLOWED',
      `Routes for "${path}" answer ${allow.join(', ')}, but the request method is ${method}`,
    );
    this.path = path;
    this.method = method;
    this.allow = allow;
  }

  static {
    nameErrors(this, 'MethodNotAllowedRouteError');
  }
}
