import type { TextMatcher } from '../pattern/token-matcher.js';
import type { PathShape } from './path-shape.js';
import type { Converter, Route } from '../define/route.js';

/** What a route requires of a request besides its path and method, and what it gives besides the variables of the path. */
export interface RouteTerms {
  /** Lower-case host without variables; an expression where it has some. */
  readonly host: string | TextMatcher | undefined;
  readonly hostVariables: readonly string[];
  readonly schemes: readonly string[];
  readonly converters: readonly (readonly [string, Converter])[];
  readonly defaults: readonly (readonly [string, unknown])[];
}

/** One way in which a route's path can look, at its place in the trie. */
export interface RouteLeaf extends PathShape {
  /** Place of the route among all routes. */
  readonly order: number;
  readonly route: Route;
  /** The first method of the route, undefined where it takes all. */
  readonly method: string | undefined;
  /** Nothing is asked but last slash and method, and the variables are all there is to give. */
  readonly quick: boolean;
  readonly terms: RouteTerms;
}
