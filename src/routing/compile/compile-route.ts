import { emptyRecord } from '../pattern/bare-record.js';
import { countRequired } from '../pattern/parse-pattern.js';
import { buildShape } from './path-shape.js';
import { addToTrie, type TrieNode } from './path-trie.js';
import type { RouteLeaf, RouteTerms } from './route-leaf.js';
import type { Route } from '../define/route.js';
import { createTokenMatcher } from '../pattern/token-matcher.js';

/** Adds a route to the trie: one leaf with all variables, and one for each number of them that may be left out. */
export function compileRoute(route: Route, order: number, trie: TrieNode): readonly RouteLeaf[] {
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

/** Those of most routes, which share them. */
const noTerms: RouteTerms = Object.freeze({
  host: undefined,
  hostVariables: [],
  schemes: [],
  converters: [],
  defaults: [],
});

function termsOf(route: Route): RouteTerms {
  const isBare = route.defaults === emptyRecord && route.converters === emptyRecord;
  if (isBare && route.schemes.length === 0 && route.hostPattern === undefined) return noTerms;
  const converters = Object.entries(route.converters).filter(([name]) => route.variables.includes(name));
  const defaults = Object.entries(route.defaults);
  const tokens = route.hostPattern?.tokens ?? [];
  const hostVariables = tokens.flatMap((token) => (token.kind === 'variable' ? [token.name] : []));
  const host =
    hostVariables.length > 0
      ? createTokenMatcher(route, tokens, { ignoreCase: true })
      : route.host?.toLowerCase();
  return { host, hostVariables, schemes: route.schemes, converters, defaults };
}
