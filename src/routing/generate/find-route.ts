import type { CompiledRoutes } from '../compile/compile-routes.js';
import { routingErrors } from '../pattern/error-codes.js';
import { findNearest } from './find-nearest.js';
import type { Route } from '../define/route.js';

/** Options for looking up a name. */
export interface FindRouteOptions {
  /** Locales to try, best first; `fr_CA` and `fr-CA` also try `fr`. */
  readonly locales?: readonly string[];
  /** Called with the message of a deprecated alias. */
  readonly onDeprecation?: ((text: string) => void) | undefined;
}

/**
 * Returns the route with a name, an alias, or a localised name.
 * @throws ROUTING_UNKNOWN_ROUTE and, for circular aliases, ROUTING_ALIAS_CIRCLE
 */
export function getRoute(compiled: CompiledRoutes, name: string, options: FindRouteOptions = {}): Route {
  const resolved = resolveAlias(compiled, name, options.onDeprecation);
  const localised = compiled.byLocale.get(resolved);
  const route = localised === undefined ? undefined : chooseLocale(localised, options.locales ?? []);
  const found = route ?? compiled.byKey.get(resolved);
  if (found !== undefined) return found;
  const names = [...compiled.byKey.keys(), ...compiled.byLocale.keys(), ...compiled.aliases.keys()];
  const near = findNearest(resolved, names).map((one) => `"${one}"`);
  const nearest =
    localised === undefined
      ? near.length === 0
        ? ''
        : ` Did you mean ${near.join(' or ')}?`
      : ` It has paths for the locales ${[...localised.keys()].join(', ')} only.`;
  throw routingErrors.create('ROUTING_UNKNOWN_ROUTE', { route: name, nearest });
}

function resolveAlias(
  compiled: CompiledRoutes,
  name: string,
  onDeprecation: FindRouteOptions['onDeprecation'],
): string {
  const trail = [name];
  for (
    let alias = compiled.aliases.get(name);
    alias !== undefined;
    alias = compiled.aliases.get(alias.target)
  ) {
    if (alias.deprecation !== undefined) onDeprecation?.(alias.deprecation);
    if (trail.includes(alias.target)) {
      const circle = [...trail, alias.target].join(' -> ');
      throw routingErrors.create('ROUTING_ALIAS_CIRCLE', { alias: name, trail: circle });
    }
    trail.push(alias.target);
  }
  return trail.at(-1) ?? name;
}

function chooseLocale(routes: ReadonlyMap<string, Route>, locales: readonly string[]): Route | undefined {
  for (const locale of locales) {
    const found = routes.get(locale) ?? routes.get(locale.replace(/[_-].*$/s, ''));
    if (found !== undefined) return found;
  }
  return undefined;
}
