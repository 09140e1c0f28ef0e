import { compileRoute } from './compile-route.js';
import { createTrie, type TrieNode } from './path-trie.js';
import type { RouteLeaf } from './route-leaf.js';
import type { RouteAlias, RouteCollection } from '../define/route-collection.js';
import type { Route } from '../define/route.js';
import { collectStatics, type StaticPaths } from './static-paths.js';

/** Routes, ready to be matched and to make URLs. Plain data; does not change when the collection does. */
export interface CompiledRoutes {
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  /** In the order of their routes. */
  readonly leaves: readonly RouteLeaf[];
  readonly byKey: ReadonlyMap<string, Route>;
  /** Routes of a localised definition, by their common name and locale. */
  readonly byLocale: ReadonlyMap<string, ReadonlyMap<string, Route>>;
  readonly aliases: ReadonlyMap<string, RouteAlias>;
  /** A path that ends in one slash too many or too few is no other path: no redirects. */
  readonly strict: boolean;
  /** The paths without variables, which need no walk. */
  readonly statics: StaticPaths;
  /** Length of the longest of them: no longer path is worth hashing. */
  readonly longestStatic: number;
  readonly trie: TrieNode;
}

export interface CompileOptions {
  /** No redirects to a path with or without its last slash. */
  readonly strict?: boolean;
  /** Which routes of the collection there are; all, where absent. */
  readonly only?: (route: Route) => boolean;
}

/** Prepares the routes of a collection for matching. */
export function compileRoutes(collection: RouteCollection, options: CompileOptions = {}): CompiledRoutes {
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
    aliases: new Map(collection.aliases().map((alias) => [alias.name, alias])),
    strict: options.strict ?? false,
    statics,
    longestStatic: [...statics.keys()].reduce((longest, { length }) => Math.max(longest, length), 0),
    trie,
  };
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
