import { controllerErrors } from './error-codes.js';
import { declaredArguments } from './resolve-controller.js';
import type { ValueResolver } from './value-resolver.js';

/** What is looked at of a route. */
interface RouteVariables {
  readonly name: string;
  readonly variables: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Throws `CONTROLLER_ROUTE_PARAMETER` where an argument of the controller reads a parameter that the route has not. */
export function requireRouteParameters(
  route: RouteVariables,
  controller: unknown,
  { arguments: given }: { readonly arguments?: readonly ValueResolver[] | undefined } = {},
): void {
  const names = new Set([...route.variables, ...Object.keys(route.defaults)]);
  for (const { routeParameter: name } of given ?? declaredArguments(controller) ?? []) {
    if (name === undefined || names.has(name)) continue;
    throw controllerErrors.create('CONTROLLER_ROUTE_PARAMETER', {
      name,
      route: route.name,
      names: [...names].join(', ') || '(none)',
    });
  }
}
