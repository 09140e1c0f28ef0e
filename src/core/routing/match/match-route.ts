import { CodedError, nameErrors } from '#core/coded-error';
import type { CompiledRoutes } from '../compile/compile-routes.js';
import { endsInSlash, findLeaves, type PlacedLeaf, type WildSegment } from '../compile/path-trie.js';
import { emptyRecord, type MatchContext, type MatchResult, type Route } from '../define/route.js';
import type { RouteParameters, RouteRedirect } from '../define/route.js';
import { routingErrors } from '../pattern/error-codes.js';
import type { TextMatcher } from '../pattern/requirement.js';

const notFound: MatchResult = Object.freeze({ kind: 'not-found' });

/**
 * Finds the first route, by priority and then definition order, that matches path and host, accepts the method, and
 * whose condition is met. Walks the trie once. Throws only errors thrown by a condition.
 */
export function matchRoute(compiled: CompiledRoutes, context: MatchContext): MatchResult {
  const path = context.path === '' ? '/' : context.path;
  const known = path.length > compiled.longestStatic ? undefined : compiled.statics.get(path);
  if (known !== undefined && known.method === context.method) return known.match;
  const leaves = findLeaves(compiled.trie, path);
  const match = findMatch(leaves, context, path);
  if (match !== undefined || leaves.length === 0) return match ?? notFound;
  const redirect = compiled.strict ? undefined : redirectToSlash(leaves, context, path);
  if (redirect !== undefined) return redirect;
  const others = leaves.filter((placed) => findObstacle(placed, context, path) === 'method');
  if (others.length === 0) return notFound;
  return {
    kind: 'method-not-allowed',
    allow: [...new Set(others.flatMap(({ leaf }) => leaf.route.methods))],
  };
}

/** Returns the first leaf that passes every check. */
function findMatch(
  leaves: readonly PlacedLeaf[],
  context: MatchContext,
  path: string,
): Extract<MatchResult, { readonly kind: 'match' }> | undefined {
  for (let index = 0; index < leaves.length; index += 1) {
    const placed = leaves[index];
    // The method is checked first, because a path often has one route for each.
    if (placed === undefined || !acceptsMethod(placed.leaf.route, context.method)) continue;
    if (findObstacle(placed, context, path) === undefined)
      return { kind: 'match', route: placed.leaf.route, parameters: readParameters(placed, context, path) };
  }
  return undefined;
}

/** Returns a redirect to the path with the trailing slash added or removed, if a route matches it. */
function redirectToSlash(
  leaves: readonly PlacedLeaf[],
  context: MatchContext,
  path: string,
): RouteRedirect | undefined {
  if (context.method !== 'GET' && context.method !== 'HEAD') return undefined;
  // In a Location header, a path that begins with two slashes would lead to another host.
  if (path === '/' || path.startsWith('//')) return undefined;
  const target = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  const match = findMatch(leaves, context, target);
  return match && { kind: 'redirect', route: match.route, path: target };
}

/** Returns the first failed check that keeps a leaf from answering a request; undefined if all pass. */
export function findObstacle(
  placed: PlacedLeaf,
  context: MatchContext,
  path: string,
): 'path' | 'host' | 'condition' | 'method' | undefined {
  const { host, route } = placed.leaf;
  if (!hasShape(placed, path)) return 'path';
  if (host?.test(hostOf(context)) === false) return 'host';
  const { condition } = route;
  const agrees = condition?.(context, context.request, readParameters(placed, context, path)) ?? true;
  if (!agrees) return 'condition';
  return acceptsMethod(route, context.method) ? undefined : 'method';
}

/**
 * Checks the path for what the trie does not: requirements, the trailing slash, and variables that are not whole
 * segments.
 */
export function hasShape({ leaf, segments }: PlacedLeaf, path: string): boolean {
  if (leaf.expression !== undefined) return leaf.expression.test(path);
  if (leaf.slash !== endsInSlash(path)) return false;
  if (leaf.tests === undefined) return true;
  let segment = segments;
  for (let index = leaf.tests.length - 1; segment !== undefined; index -= 1, segment = segment.before) {
    if (leaf.tests[index]?.test(path.slice(segment.start, segment.end)) === false) return false;
  }
  return true;
}

/** Whether a route accepts a method. Routes for GET also accept HEAD. */
function acceptsMethod({ methods }: Route, method: string): boolean {
  if (methods.length === 0) return true;
  for (let index = 0; index < methods.length; index += 1) {
    const one = methods[index];
    if (one === method || (one === 'GET' && method === 'HEAD')) return true;
  }
  return false;
}

/** Returns a request's host in lower case; `localhost` if it is unknown. */
export function hostOf({ host = 'localhost' }: MatchContext): string {
  return host.toLowerCase();
}

/** Reads the variables in a matching path and host, and adds the defaults for all others. */
function readParameters(
  { leaf, segments }: PlacedLeaf,
  context: MatchContext,
  path: string,
): RouteParameters {
  const { route, host, expression, variables } = leaf;
  if (variables.length === 0 && host === undefined) return route.defaults;
  const parameters = Object.create(null) as Record<string, unknown>; // a new object without a prototype
  if (route.defaults !== emptyRecord) Object.assign(parameters, route.defaults);
  if (host !== undefined) addCaptures(route.variables, host.capture(hostOf(context)), parameters);
  if (expression !== undefined) addCaptures(variables, expression.capture(path), parameters);
  else if (segments !== undefined) addSegments(variables, variables.length - 1, path, segments, parameters);
  return parameters;
}

// oxlint-disable-next-line lookback/max-positional -- on every request's path: no object is made for it
function addSegments(
  names: readonly string[],
  index: number,
  path: string,
  segment: WildSegment,
  parameters: Record<string, unknown>,
): void {
  if (segment.before !== undefined) addSegments(names, index - 1, path, segment.before, parameters);
  parameters[names[index] ?? ''] = path.slice(segment.start, segment.end);
}

function addCaptures(
  names: readonly string[],
  captures: ReturnType<TextMatcher['capture']>,
  parameters: Record<string, unknown>,
): void {
  for (const [index, value] of (captures ?? []).entries())
    if (value !== undefined) parameters[names[index] ?? ''] = value;
}

/**
 * Decodes a request's path once: every `%XX` (so `%2F` becomes a slash); `+` stays a plus. Router and firewall use only
 * this result. The path must not include query or fragment. An empty path becomes `/`.
 * @throws ROUTING_MALFORMED_PATH for malformed percent-encoding, invalid UTF-8, or NUL.
 */
export function decodePath(rawPath: string): string {
  if (rawPath === '') return '/';
  const path = rawPath.includes('%') ? decodePercent(rawPath) : rawPath;
  if (path.includes('\0')) throw malformedPath('it contains a NUL character');
  return path;
}

function decodePercent(rawPath: string): string {
  try {
    return decodeURIComponent(rawPath);
  } catch (cause) {
    const broken = /%(?![0-9A-Fa-f]{2})/.exec(rawPath);
    if (broken === null) throw malformedPath('its octets are not valid UTF-8', cause);
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
