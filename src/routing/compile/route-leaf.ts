import type { TextMatcher } from '../pattern/token-matcher.js';
import type { PathShape } from './path-shape.js';
import type { Converter, Route } from '../define/route.js';

/** The requirements of a route other than path and method, and its parameters other than the variables of the path. */
export interface RouteTerms {
  /** The host in lower case; a matcher if it has variables. */
  readonly host: string | TextMatcher | undefined;
  readonly hostVariables: readonly string[];
  readonly schemes: readonly string[];
  readonly converters: readonly (readonly [string, Converter])[];
  readonly defaults: readonly (readonly [string, unknown])[];
}

/** One possible shape of a route's path, stored in the trie. */
export interface RouteLeaf extends PathShape {
  /** Index of the route among all routes. */
  readonly order: number;
  readonly route: Route;
  /** The first method of the route; undefined if it accepts all methods. */
  readonly method: string | undefined;
  /** Whether only trailing slash and method must be checked, and the variables are the only parameters. */
  readonly quick: boolean;
  readonly terms: RouteTerms;
}
