import { controllerErrors } from './error-codes.js';
import { declaredArguments } from './resolve-controller.js';
import { schemasOf } from './route-schemas.js';
import type { StandardSchema } from './standard-schema.js';
import type { ValueResolver } from './value-resolver.js';

/** What is looked at of a route. */
interface RouteVariables {
  readonly name: string;
  readonly variables: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Throws `CONTROLLER_ROUTE_PARAMETER` where the controller reads a parameter that the route has not. */
export function requireRouteParameters(
  route: RouteVariables,
  controller: unknown,
  { arguments: given }: { readonly arguments?: readonly ValueResolver[] | undefined } = {},
): void {
  const names = new Set([...route.variables, ...Object.keys(route.defaults)]);
  const values = given ?? declaredArguments(controller);
  const read =
    values?.map(({ routeParameter }) => routeParameter) ?? requiredBy(schemasOf(controller)?.params);
  for (const name of read) {
    if (name === undefined || names.has(name)) continue;
    throw controllerErrors.create('CONTROLLER_ROUTE_PARAMETER', {
      name,
      route: route.name,
      names: [...names].join(', ') || '(none)',
    });
  }
}

/** The parameters that a schema misses where there are none. What it cannot say at once is found out by requests. */
function requiredBy(schema: StandardSchema | undefined): readonly string[] {
  const result = schema?.['~standard'].validate({});
  if (result instanceof Promise) result.catch(() => undefined);
  if (result === undefined || result instanceof Promise || result.issues === undefined) return [];
  return result.issues.flatMap(({ path: [first] = [] }) => {
    const key = typeof first === 'object' ? first.key : first;
    return typeof key === 'string' ? [key] : [];
  });
}
