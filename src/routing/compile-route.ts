import { countRequired } from './parse-pattern.js';
import { buildShape, type PathShape } from './path-shape.js';
import type { TextMatcher } from './linear-expression.js';
import type { Converter, Route } from './route.js';
import { createTokenMatcher } from './token-matcher.js';

/** A route with what is asked once its path fits. */
export interface CompiledRoute {
  readonly route: Route;
  /** Lower-case host without variables; an expression where it has some. */
  readonly host: string | TextMatcher | undefined;
  readonly hostVariables: readonly string[];
  readonly methods: readonly string[];
  readonly schemes: readonly string[];
  readonly converters: readonly (readonly [string, Converter])[];
  readonly defaults: readonly (readonly [string, unknown])[];
}

/** One way in which a route's path can look, in the trie. */
export interface RouteEnding {
  /** Place of the route among all routes. */
  readonly order: number;
  /** The first method of the route, undefined where it takes all. */
  readonly method: string | undefined;
  /** Nothing is asked but last slash and method, and the variables are all there is to give. */
  readonly quick: boolean;
  /** Copies of the shape's, so that the usual match need not look there. */
  readonly slash: boolean;
  readonly variables: readonly string[];
  readonly shape: PathShape;
  readonly owner: CompiledRoute;
}

/** One ending with all variables, and one for each number of variables that may be left out. */
export function endingsOf(route: Route, order: number): RouteEnding[] {
  const owner = compileRoute(route);
  const { tokens } = route.pattern;
  const method = route.methods[0];
  const asksMore = owner.host !== undefined || owner.schemes.length > 0 || route.condition !== undefined;
  const givesMore = owner.converters.length > 0 || owner.defaults.length > 0;
  const endings: RouteEnding[] = [];
  for (let count = countRequired(tokens, route.defaults); count <= tokens.length; count += 1) {
    const shape = buildShape(route, count);
    const { slash, variables, certain } = shape;
    endings.push({
      order,
      method,
      quick: certain && !asksMore && !givesMore,
      slash,
      variables,
      shape,
      owner,
    });
  }
  return endings;
}

const noNames: readonly string[] = [];

function compileRoute(route: Route): CompiledRoute {
  const tokens = route.hostPattern?.tokens ?? [];
  const hostVariables =
    route.host === undefined
      ? noNames
      : tokens.flatMap((token) => (token.kind === 'variable' ? [token.name] : []));
  const host =
    hostVariables.length > 0
      ? createTokenMatcher(route, tokens, { ignoreCase: true })
      : route.host?.toLowerCase();
  return {
    route,
    host,
    hostVariables,
    methods: route.methods,
    schemes: route.schemes,
    converters: Object.entries(route.converters).filter(([name]) => route.variables.includes(name)),
    defaults: Object.entries(route.defaults),
  };
}
