import { type CompiledRoutes, compileRoutes } from '../compile/compile-routes.js';
import type { RouteLeaf } from '../compile/path-shape.js';
import { findLeaves } from '../compile/path-trie.js';
import type { RouteCollection } from '../define/route-collection.js';
import type { Route } from '../define/route.js';
import { hasShape } from '../match/match-route.js';
import { findRequirement } from '../pattern/requirement.js';

/** A problem with a route that is valid but probably unintended. */
export interface RouteFinding {
  readonly rule: 'shadowed' | 'slow-requirement' | 'access-rule';
  readonly severity: 'error' | 'warning';
  readonly route: string;
  readonly path: string;
  readonly message: string;
}

/**
 * Returns how an expression's running time can grow with the text: the degree of a polynomial, Infinity if exponential.
 */
type GrowthCheck = (expression: RegExp) => number;

/**
 * Returns the routes that can never match because an earlier one takes all of their requests, in the order they are
 * tried. With `growthOf`, also reports expressions whose running time can grow cubically or faster.
 */
export function lintRoutes(collection: RouteCollection, growthOf: GrowthCheck = () => 1): RouteFinding[] {
  const compiled = compileRoutes(collection);
  return compiled.routes.flatMap((route) => {
    const own = compiled.leaves.filter((leaf) => leaf.route === route);
    return [...lintShadow(route, own, compiled), ...lintGrowth(route, own, growthOf)];
  });
}

function lintShadow(route: Route, own: readonly RouteLeaf[], compiled: CompiledRoutes): RouteFinding[] {
  const shadows = own.map((leaf) => findShadow(leaf, compiled));
  const [first] = shadows;
  if (first === undefined || shadows.includes(undefined)) return [];
  const message = `never matches: "${first.name}" (${first.path}) comes first and matches every request that this route could match`;
  return [{ rule: 'shadowed', severity: 'error', route: route.key, path: route.path, message }];
}

/**
 * Finds an earlier route that matches the path in which each variable has a text that no requirement would name, and
 * therefore matches all others. A variable with its own requirement is only found if the earlier route has none.
 */
function findShadow({ route, variables, order }: RouteLeaf, { trie }: CompiledRoutes): Route | undefined {
  let path = '';
  for (const token of route.pattern.tokens) {
    if (token.kind === 'text') path += token.text;
    else if (variables.includes(token.name)) {
      const read = findRequirement(route, token);
      if (read?.canBeEmpty === true || read?.canHoldSlash === true) return undefined;
      path += `${token.prefix}{${token.name}}`;
    }
  }
  if (path === '') path = '/';
  return findLeaves(trie, path).find(
    (placed) => placed.leaf.order < order && hasShape(placed, path) && takesAllOf(placed.leaf.route, route),
  )?.leaf.route;
}

/** Whether a route takes every request with its path that another one takes. */
function takesAllOf({ condition, host, methods }: Route, other: Route): boolean {
  if (condition !== undefined) return false;
  if (host !== undefined && host !== other.host) return false;
  return (
    methods.length === 0 ||
    (other.methods.length > 0 && other.methods.every((method) => methods.includes(method)))
  );
}

/**
 * Checks the expressions that are run for a route: with optional variables, there is one for each number of given
 * variables.
 */
function lintGrowth(route: Route, own: readonly RouteLeaf[], growthOf: GrowthCheck): RouteFinding[] {
  const matchers = own.flatMap(({ expression, tests, host }) => [expression, ...(tests ?? []), host]);
  const forms = matchers.flatMap((matcher) => matcher?.form ?? []);
  const degree = Math.max(1, ...forms.map(growthOf));
  if (degree < 3) return [];
  const [severity, growth] =
    degree === Infinity
      ? (['error', 'exponentially'] as const)
      : (['warning', `with its power of ${degree}`] as const);
  const message = `matching a path can take time that grows ${growth}, because its repetitions can split a text in many ways`;
  return [{ rule: 'slow-requirement', severity, route: route.key, path: route.path, message }];
}
