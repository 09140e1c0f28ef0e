import type { CompiledRoute } from './compile-route.js';
import type { CompiledRoutes, RouteEnding } from './compile-routes.js';
import type { TrieNode } from './path-trie.js';
import { acceptsHost, acceptsMethod, acceptsScheme } from './accept-request.js';
import { readParameters, readValues } from './read-parameters.js';
import type { MatchContext, MatchResult, RouteParameters, RouteRedirect } from './route.js';

/** One request on its way through the routes. */
interface Search {
  readonly context: MatchContext;
  readonly path: string;
  /** Where the path ends without its last slash. */
  readonly end: number;
  readonly slash: boolean;
  readonly method: string;
  readonly host: string;
  readonly scheme: string;
  /** The first ending that takes the request, so far; its order, Infinity without one. */
  best: RouteEnding | undefined;
  bestOrder: number;
  parameters: RouteParameters | undefined;
  /** Endings of this path under another method, or another scheme. */
  wrongMethod: RouteEnding[] | undefined;
  wrongScheme: RouteEnding[] | undefined;
  /** Endings that may have the path with its last slash toggled. */
  wrongSlash: readonly RouteEnding[] | undefined;
  /** Endings with a condition, which is asked only when it is their turn. */
  conditional: RouteEnding[] | undefined;
}

/**
 * Finds the first route, by priority and then definition, that has path and host, takes scheme and method, and whose
 * condition agrees. A path without variables costs one lookup, any other one walk down the trie.
 */
export function matchRoute(compiled: CompiledRoutes, context: MatchContext): MatchResult {
  const search = findRoute(compiled, context, context.path === '' ? '/' : context.path);
  if (search.best === undefined) return answerMiss(compiled, search);
  const parameters = search.parameters ?? readParameters(search.best, search);
  return parameters === undefined
    ? { kind: 'not-found' }
    : { kind: 'match', route: search.best.owner.route, parameters };
}

function findRoute(compiled: CompiledRoutes, context: MatchContext, path: string): Search {
  const search = startSearch(context, path);
  const entry = path.length <= compiled.longestStatic ? compiled.statics.get(path) : undefined;
  if (entry === undefined) walk(compiled.trie, 0, search);
  else {
    offer(entry.exact, search);
    if (entry.toggled.length > 0) search.wrongSlash = entry.toggled;
  }
  if (search.conditional !== undefined) askConditions(search.conditional, search);
  return search;
}

/** Follows the path down the trie. A node is entered at most once: its place in the path is given by the way to it. */
function walk(node: TrieNode<CompiledRoute>, start: number, search: Search): void {
  const { path, end } = search;
  const { text } = node;
  const at = start + text.length;
  if (at > end) return;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== path.charCodeAt(start + index)) return;
  }
  if (at === end) offer(node.ends, search);
  else {
    const child = node.children.get(path.charCodeAt(at));
    if (child !== undefined && child.first < search.bestOrder) walk(child, at, search);
    if (node.wild !== undefined && node.wild.first < search.bestOrder) walkWild(node.wild, at, search);
  }
  offer(node.rests, search);
}

/** A wild node stands behind one whole segment. */
function walkWild(node: TrieNode<CompiledRoute>, start: number, search: Search): void {
  const slash = search.path.indexOf('/', start);
  const stop = slash === -1 || slash > search.end ? search.end : slash;
  if (stop > start) walk(node, stop, search);
}

/** Takes the first of some endings, in ascending order, that stands before the best and takes the request. */
function offer(endings: readonly RouteEnding[], search: Search): void {
  for (const ending of endings) {
    if (ending.order >= search.bestOrder) return;
    const { shape, owner } = ending;
    const values = shape.certain ? undefined : readValues(shape, search.path);
    if (shape.certain ? shape.slash !== search.slash : values === undefined) {
      search.wrongSlash = [...(search.wrongSlash ?? []), ending];
      continue;
    }
    if (!acceptsHost(owner, search.host)) continue;
    if (owner.route.condition !== undefined) {
      (search.conditional ??= []).push(ending);
      continue;
    }
    const parameters =
      values === undefined && owner.converters.length === 0
        ? undefined
        : readParameters(ending, search, values);
    if (parameters === undefined && owner.converters.length > 0) continue;
    if (takesRequest(ending, search)) settle(ending, parameters, search);
  }
}

function settle(ending: RouteEnding, parameters: RouteParameters | undefined, search: Search): void {
  search.best = ending;
  search.bestOrder = ending.order;
  search.parameters = parameters;
}

/** Scheme and method; a miss is remembered, for it says more than "not found". */
function takesRequest(ending: RouteEnding, search: Search): boolean {
  if (!acceptsScheme(ending.owner, search.scheme)) {
    (search.wrongScheme ??= []).push(ending);
    return false;
  }
  if (acceptsMethod(ending.owner, search.method)) return true;
  (search.wrongMethod ??= []).push(ending);
  return false;
}

/** The first ending whose condition agrees, of those that stand before the best. */
function askConditions(endings: RouteEnding[], search: Search): void {
  for (const ending of endings.sort(byOrder)) {
    if (ending.order >= search.bestOrder) return;
    const { condition } = ending.owner.route;
    const parameters = readParameters(ending, search, readValues(ending.shape, search.path));
    if (parameters === undefined || condition === undefined) continue;
    if (!condition(search.context, search.context.request, parameters)) continue;
    if (takesRequest(ending, search)) settle(ending, parameters, search);
  }
}

/** Nothing has the path as it is: another scheme, another slash at its end, another method, or nothing at all. */
function answerMiss(compiled: CompiledRoutes, search: Search): MatchResult {
  const { wrongMethod, wrongScheme } = search;
  if (search.method === 'GET' || search.method === 'HEAD') {
    const redirect =
      (wrongMethod === undefined && wrongScheme !== undefined
        ? redirectToScheme(compiled, search, 'scheme')
        : undefined) ?? redirectToSlash(compiled, search);
    if (redirect !== undefined) return redirect;
  }
  if (wrongMethod === undefined) return { kind: 'not-found' };
  const allow = wrongMethod.sort(byOrder).flatMap((ending) => ending.owner.methods);
  return { kind: 'method-not-allowed', allow: [...new Set(allow)] };
}

/** The route that would take the request under the first scheme that was asked for. */
function redirectToScheme(
  compiled: CompiledRoutes,
  search: Search,
  reason: 'slash' | 'scheme',
): RouteRedirect | undefined {
  const scheme = search.wrongScheme?.sort(byOrder)[0]?.owner.schemes[0];
  if (scheme === undefined) return undefined;
  const { best } = findRoute(compiled, { ...search.context, scheme }, search.path);
  if (best === undefined) return undefined;
  return { kind: 'redirect', route: best.owner.route, path: search.path, scheme, status: 301, reason };
}

/** The route that has the path with its last slash taken away or put there. */
function redirectToSlash(compiled: CompiledRoutes, search: Search): RouteRedirect | undefined {
  const { path, slash, wrongSlash } = search;
  const doubled = path.endsWith('//');
  // A path that begins with two slashes would be another site's address in a Location header.
  if (compiled.strict || path === '/' || path.startsWith('//') || (wrongSlash === undefined && !doubled))
    return undefined;
  const bare = path.replace(/\/+$/, '');
  const other = [slash ? bare : `${path}/`, ...(doubled ? [`${bare}/`] : [])];
  const found = other.map((target) => findRoute(compiled, search.context, target));
  const [first] = found.filter((one) => one.best !== undefined).sort((a, b) => a.bestOrder - b.bestOrder);
  if (first?.best !== undefined) {
    return {
      kind: 'redirect',
      route: first.best.owner.route,
      path: first.path,
      status: 301,
      reason: 'slash',
    };
  }
  for (const one of found) {
    const redirect = redirectToScheme(compiled, one, 'slash');
    if (redirect !== undefined) return redirect;
  }
  return undefined;
}

function startSearch(context: MatchContext, path: string): Search {
  const slash = path.endsWith('/');
  const { method } = context;
  return {
    context,
    path,
    end: slash ? path.length - 1 : path.length,
    slash,
    method: method === 'GET' ? method : method.toUpperCase(),
    host: context.host === undefined ? 'localhost' : context.host.toLowerCase(),
    scheme: context.scheme ?? 'http',
    best: undefined,
    bestOrder: Infinity,
    parameters: undefined,
    wrongMethod: undefined,
    wrongScheme: undefined,
    wrongSlash: undefined,
    conditional: undefined,
  };
}

function byOrder(a: RouteEnding, b: RouteEnding): number {
  return a.order - b.order;
}
