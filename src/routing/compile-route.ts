import { emptyRecord } from './bare-record.js';
import { countRequired } from './parse-pattern.js';
import { buildShape } from './path-shape.js';
import { addToTrie, type TrieNode } from './path-trie.js';
import type { RouteEnding, RouteTerms } from './route-ending.js';
import type { Route } from './route.js';
import { createTokenMatcher } from './token-matcher.js';

/** Adds a route to the trie: one ending with all variables, and one for each number of them that may be left out. */
export function compileRoute(route: Route, order: number, trie: TrieNode): readonly RouteEnding[] {
  const { tokens } = route.pattern;
  const terms = termsOf(route);
  const required = countRequired(tokens, route.defaults);
  if (required === tokens.length) return [addEnding(route, required, { order, terms, trie })];
  return Array.from({ length: tokens.length - required + 1 }, (_, more) =>
    addEnding(route, required + more, { order, terms, trie }),
  );
}

function addEnding(
  route: Route,
  count: number,
  { order, terms, trie }: { order: number; terms: RouteTerms; trie: TrieNode },
): RouteEnding {
  const { steps, slash, variables, tests, expression } = buildShape(route, count);
  const ending: RouteEnding = {
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
  addToTrie(trie, ending, steps);
  return ending;
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
