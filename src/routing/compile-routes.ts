import { collectEndings, type PlacedEnding } from './collect-endings.js';
import { endingsOf, type RouteEnding } from './compile-route.js';
import { addToTrie, createTrie, type TrieNode } from './path-trie.js';
import type { RouteAlias, RouteCollection } from './route-collection.js';
import type { Route } from './route.js';
import { createStaticPaths, type StaticPaths } from './static-paths.js';

/** Routes, ready to be matched and to make URLs. Plain data; does not change when the collection does. */
export interface CompiledRoutes {
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  /** By the place of their route in `routes`. */
  readonly endings: readonly (readonly RouteEnding[])[];
  readonly byKey: ReadonlyMap<string, Route>;
  /** Routes of a localised definition, by their common name and locale. */
  readonly byLocale: ReadonlyMap<string, ReadonlyMap<string, Route>>;
  readonly aliases: ReadonlyMap<string, RouteAlias>;
  /** A path that ends in one slash too many or too few is no other path: no redirects. */
  readonly strict: boolean;
  /** For each path without variables what a walk would be offered. */
  readonly statics: StaticPaths<readonly PlacedEnding[]>;
  readonly trie: TrieNode;
}

/** Prepares routes. `strict` turns redirects to a path with or without its last slash off. */
export function compileRoutes(
  collection: RouteCollection,
  options: { strict?: boolean } = {},
): CompiledRoutes {
  const routes = collection.all();
  const endings = routes.map(endingsOf);
  const trie = createTrie();
  for (const ofRoute of endings) for (const ending of ofRoute) addToTrie(trie, ending);
  return {
    routes,
    endings,
    byKey: new Map(routes.map((route) => [route.key, route])),
    byLocale: groupByLocale(routes),
    aliases: new Map(collection.aliases().map((alias) => [alias.name, alias])),
    strict: options.strict ?? false,
    statics: collectStatics(trie, endings),
    trie,
  };
}

function collectStatics(
  trie: TrieNode,
  endings: readonly (readonly RouteEnding[])[],
): StaticPaths<readonly PlacedEnding[]> {
  const entries = new Map<string, readonly PlacedEnding[]>();
  for (const ofRoute of endings) {
    for (const { shape } of ofRoute) {
      const [first] = shape.steps;
      if (shape.variables.length > 0 || typeof first !== 'object') continue;
      const path = shape.slash ? `${first.text}/` : first.text;
      if (!entries.has(path)) entries.set(path, collectEndings(trie, path));
    }
  }
  return createStaticPaths(entries);
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
