import { refuseUnknownOptions } from '#coded-error';
import type { RouteCollection } from '../define/route-collection.js';
import { emptyRecord, type MatchResult, type Route } from '../define/route.js';
import { countRequired } from '../pattern/parse-pattern.js';
import { createTokenMatcher } from '../pattern/requirement.js';
import { type RouteLeaf, type RouteTerms, buildShape } from './path-shape.js';
import { type TrieNode, createTrie, addToTrie, collectLeaves, endsInSlash } from './path-trie.js';

/** Routes prepared for matching and generating URLs. Plain data; later changes of the collection do not affect it. */
export interface CompiledRoutes {
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  /** In the order of their routes. */
  readonly leaves: readonly RouteLeaf[];
  readonly byKey: ReadonlyMap<string, Route>;
  /** Routes of a localised definition, by their common name and locale. */
  readonly byLocale: ReadonlyMap<string, ReadonlyMap<string, Route>>;
  /** If true, a path with a surplus or missing trailing slash is not redirected. */
  readonly strict: boolean;
  readonly trie: TrieNode;
  /** The matches of paths without variables that depend on the method alone, which are found without a walk. */
  readonly statics: ReadonlyMap<string, StaticMatch>;
  /** Length of the longest of these paths: longer ones need not be looked up. */
  readonly longestStatic: number;
}

interface StaticMatch {
  readonly method: string | undefined;
  readonly match: MatchResult;
}

interface CompileOptions {
  /** Disables redirects to the path with or without a trailing slash. */
  readonly strict?: boolean;
  /** Selects routes of the collection. Default: all. */
  readonly only?: (route: Route) => boolean;
}

/** Compiles the routes of a collection for matching. */
export function compileRoutes(collection: RouteCollection, options: CompileOptions = {}): CompiledRoutes {
  refuseUnknownOptions('compileRoutes()', options, 'strict only');
  const { only = () => true } = options;
  const routes = collection.all().filter((route) => only(route));
  const trie = createTrie();
  const leaves: RouteLeaf[] = [];
  const byKey = new Map<string, Route>();
  for (const [order, route] of routes.entries()) {
    leaves.push(...compileRoute(route, order, trie));
    byKey.set(route.key, route);
  }
  const statics = collectStatics(trie, leaves);
  return {
    routes,
    leaves,
    byKey,
    byLocale: groupByLocale(routes),
    strict: options.strict ?? false,
    trie,
    statics,
    longestStatic: [...statics.keys()].reduce((longest, { length }) => Math.max(longest, length), 0),
  };
}

function collectStatics(trie: TrieNode, leaves: readonly RouteLeaf[]): Map<string, StaticMatch> {
  const statics = new Map<string, StaticMatch>();
  for (const { variables, route } of leaves) {
    const [token] = route.pattern.tokens;
    const path = token?.kind === 'text' ? token.text : '/';
    if (variables.length > 0 || statics.has(path)) continue;
    const leaf = collectLeaves(trie, path)[0]?.leaf;
    if (leaf?.quick !== true || leaf.variables.length > 0 || leaf.slash !== endsInSlash(path)) continue;
    const match = Object.freeze({ kind: 'match', route: leaf.route, parameters: emptyRecord } as const);
    statics.set(path, { method: leaf.method, match });
  }
  return statics;
}

function groupByLocale(routes: readonly Route[]): Map<string, Map<string, Route>> {
  const groups = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    if (route.key === route.name || route.locale === undefined) continue;
    const group = groups.get(route.name) ?? new Map<string, Route>();
    groups.set(route.name, group.set(route.locale, route));
  }
  return groups;
}

/** Adds a route to the trie: one leaf with all variables, and one for each number of trailing variables that may be omitted. */
function compileRoute(route: Route, order: number, trie: TrieNode): readonly RouteLeaf[] {
  const { tokens } = route.pattern;
  const terms = termsOf(route);
  const required = countRequired(tokens, route.defaults);
  if (required === tokens.length) return [addLeaf(route, required, { order, terms, trie })];
  return Array.from({ length: tokens.length - required + 1 }, (_, more) =>
    addLeaf(route, required + more, { order, terms, trie }),
  );
}

function addLeaf(
  route: Route,
  count: number,
  { order, terms, trie }: { order: number; terms: RouteTerms; trie: TrieNode },
): RouteLeaf {
  const { steps, slash, variables, tests, expression } = buildShape(route, count);
  const leaf: RouteLeaf = {
    order,
    route,
    method: route.methods[0],
    quick:
      terms === noTerms && route.condition === undefined && tests === undefined && expression === undefined,
    slash,
    variables,
    tests,
    expression,
    terms,
  };
  addToTrie(trie, leaf, steps);
  return leaf;
}

/** The terms that most routes have; they share this object. */
const noTerms: RouteTerms = Object.freeze({
  host: undefined,
  hostVariables: [],
  defaults: [],
});

function termsOf(route: Route): RouteTerms {
  if (route.defaults === emptyRecord && route.hostPattern === undefined) return noTerms;
  const defaults = Object.entries(route.defaults);
  const tokens = route.hostPattern?.tokens ?? [];
  const hostVariables = tokens.flatMap((token) => (token.kind === 'variable' ? [token.name] : []));
  const host =
    hostVariables.length > 0
      ? createTokenMatcher(route, tokens, { ignoreCase: true })
      : route.host?.toLowerCase();
  return { host, hostVariables, defaults };
}
