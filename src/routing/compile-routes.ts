import { countRequired } from './parse-pattern.js';
import { buildShape, literalText } from './path-shape.js';
import { addToTrie, createTrie, type Ending, type TrieNode } from './path-trie.js';
import type { RouteAlias, RouteCollection } from './route-collection.js';
import { compileRoute, type CompiledRoute } from './compile-route.js';
import type { Route } from './route.js';

export type RouteEnding = Ending<CompiledRoute>;

/** What stands behind a path without variables: every ending that has this path, and those that have it with the slash toggled. */
export interface StaticEntry {
  readonly exact: RouteEnding[];
  readonly toggled: RouteEnding[];
}

/** Routes, ready to be matched and to make URLs. Plain data; does not change when the collection does. */
export interface CompiledRoutes {
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  readonly byKey: ReadonlyMap<string, Route>;
  /** Routes of a localised definition, by their common name and locale. */
  readonly byLocale: ReadonlyMap<string, ReadonlyMap<string, Route>>;
  readonly aliases: ReadonlyMap<string, RouteAlias>;
  /** A path that ends in one slash too many or too few is no other path: no redirects. */
  readonly strict: boolean;
  readonly statics: ReadonlyMap<string, StaticEntry>;
  readonly longestStatic: number;
  readonly trie: TrieNode<CompiledRoute>;
}

/** Prepares routes. `strict` turns redirects to a path with or without its last slash off. */
export function compileRoutes(
  collection: RouteCollection,
  options: { strict?: boolean } = {},
): CompiledRoutes {
  const routes = collection.all();
  const trie = createTrie<CompiledRoute>();
  const literal = new Map<string, RouteEnding[]>();
  const byKey = new Map<string, Route>();
  const byLocale = new Map<string, Map<string, Route>>();
  for (const [order, route] of routes.entries()) {
    byKey.set(route.key, route);
    if (route.key !== route.name && route.locale !== undefined) {
      put(byLocale, route.name, () => new Map<string, Route>()).set(route.locale, route);
    }
    for (const ending of endingsOf(route, order)) {
      const text = literalText(ending.shape);
      if (text === undefined) addToTrie(trie, ending);
      else put(literal, text, () => []).push(ending);
    }
  }
  const statics = joinStatics(literal, trie);
  return {
    routes,
    byKey,
    byLocale,
    aliases: new Map(collection.aliases().map((alias) => [alias.name, alias])),
    strict: options.strict ?? false,
    statics,
    longestStatic: Math.max(0, ...[...statics.keys()].map((path) => path.length)),
    trie,
  };
}

/** All endings of the trie that may have a path (their tests are still to be asked), in order. */
export function collectEndings(trie: TrieNode<CompiledRoute>, path: string): RouteEnding[] {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const found: RouteEnding[] = [];
  const walk = (node: TrieNode<CompiledRoute>, start: number): void => {
    if (!path.startsWith(node.text, start) || start + node.text.length > end) return;
    const at = start + node.text.length;
    found.push(...node.rests);
    if (at === end) found.push(...node.ends);
    else {
      const child = node.children.get(path.charCodeAt(at));
      if (child !== undefined) walk(child, at);
      const slash = path.indexOf('/', at);
      const stop = slash === -1 || slash > end ? end : slash;
      if (node.wild !== undefined && stop > at) walk(node.wild, stop);
    }
  };
  walk(trie, 0);
  return found.sort((a, b) => a.order - b.order);
}

/** Each path without variables gets all endings that have it, so that matching it needs no walk. */
function joinStatics(
  literal: ReadonlyMap<string, RouteEnding[]>,
  trie: TrieNode<CompiledRoute>,
): Map<string, StaticEntry> {
  const statics = new Map<string, StaticEntry>();
  const endingsAt = (path: string): RouteEnding[] => {
    const dynamic = collectEndings(trie, path).filter((ending) => mayHave(ending, path));
    return [...(literal.get(path) ?? []), ...dynamic].sort((a, b) => a.order - b.order);
  };
  for (const path of literal.keys()) {
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    const [here, there] = [endingsAt(path), path === '/' ? [] : endingsAt(other)];
    statics.set(path, { exact: here, toggled: there });
    if (path !== '/') statics.set(other, { exact: there, toggled: here });
  }
  return statics;
}

function mayHave({ shape }: RouteEnding, path: string): boolean {
  return shape.expression?.test(path) ?? shape.slash === path.endsWith('/');
}

function endingsOf(route: Route, order: number): RouteEnding[] {
  const owner = compileRoute(route);
  const required = countRequired(route.pattern.tokens, route.defaults);
  const counts = Array.from(
    { length: route.pattern.tokens.length - required + 1 },
    (_, more) => required + more,
  );
  return counts.map((count) => ({ order, shape: buildShape(route, count), owner }));
}

function put<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const old = map.get(key);
  if (old !== undefined) return old;
  const value = create();
  map.set(key, value);
  return value;
}
