import {
  callable,
  checkOptions,
  checkValue,
  flag,
  objectWith,
  type OptionsSchema,
  optionsSchema,
} from '#core/options';
import type { RouteCollection } from '../define/route-collection.js';
import type { MatchResult, Route } from '../define/route.js';
import { countRequired } from '../pattern/parse-pattern.js';
import { createTokenMatcher } from '../pattern/requirement.js';
import { type RouteLeaf, buildShape } from './path-shape.js';
import { type TrieNode, createTrie, addToTrie, findLeaves, endsInSlash } from './path-trie.js';

/** Routes prepared for matching and generating URLs. Plain data; later changes to the collection do not affect it. */
export interface CompiledRoutes {
  /** In the order they are tried. */
  readonly routes: readonly Route[];
  /** In route order. */
  readonly leaves: readonly RouteLeaf[];
  readonly byKey: ReadonlyMap<string, Route>;
  /** If true, a path with a surplus or missing trailing slash is not redirected. */
  readonly strict: boolean;
  readonly trie: TrieNode;
  /** Matches for paths without variables that depend only on the method; found without walking the trie. */
  readonly statics: ReadonlyMap<string, StaticMatch>;
  /** Length of the longest path: longer ones need not be looked up. */
  readonly longestStatic: number;
}

interface StaticMatch {
  readonly method: string | undefined;
  readonly match: MatchResult;
}

interface CompileOptions {
  /** Disables redirects to the path with or without a trailing slash. */
  readonly strict?: boolean;
  /** Selects routes from the collection. Default: all. */
  readonly only?: (route: Route) => boolean;
}

export const compileSchema: OptionsSchema<CompileOptions> = optionsSchema<CompileOptions>({
  strict: flag,
  only: callable(),
});

/** Compiles a collection's routes for matching. */
export function compileRoutes(collection: RouteCollection, options: CompileOptions = {}): CompiledRoutes {
  checkValue('compileRoutes()', 'collection', collection, objectWith('a RouteCollection', 'all'));
  checkOptions('compileRoutes()', options, compileSchema);
  const { only = () => true, strict = false } = options;
  const routes = collection.all().filter((route) => only(route));
  const trie = createTrie();
  const leaves = routes.flatMap((route, order) => compileRoute(route, order, trie));
  const statics = collectStatics(trie, leaves);
  return {
    routes,
    leaves,
    byKey: new Map(routes.map((route) => [route.key, route])),
    strict,
    trie,
    statics,
    longestStatic: [...statics.keys()].reduce((longest, { length }) => Math.max(longest, length), 0),
  };
}

function collectStatics(trie: TrieNode, leaves: readonly RouteLeaf[]): Map<string, StaticMatch> {
  const statics = new Map<string, StaticMatch>();
  for (const { variables, route: candidate } of leaves) {
    const [token] = candidate.pattern.tokens;
    const path = token?.kind === 'text' ? token.text : '/';
    if (variables.length > 0 || statics.has(path)) continue;
    const leaf = findLeaves(trie, path)[0]?.leaf;
    if (leaf === undefined || leaf.variables.length > 0 || leaf.slash !== endsInSlash(path)) continue;
    const { host, route } = leaf;
    if (host !== undefined || route.condition !== undefined) continue;
    const match = Object.freeze({ kind: 'match', route, parameters: route.defaults } as const);
    statics.set(path, { method: route.methods[0], match });
  }
  return statics;
}

/** Adds a route to the trie: one leaf with all variables, and one for each number of omitted trailing variables. */
function compileRoute(route: Route, order: number, trie: TrieNode): readonly RouteLeaf[] {
  const { pattern, hostPattern, defaults } = route;
  const host = hostPattern && createTokenMatcher(route, hostPattern.tokens, 'siu');
  const required = countRequired(pattern.tokens, defaults);
  return Array.from({ length: pattern.tokens.length - required + 1 }, (_, more) => {
    const { steps, ...shape } = buildShape(route, required + more);
    const leaf: RouteLeaf = { order, route, host, ...shape };
    addToTrie(trie, leaf, steps);
    return leaf;
  });
}
