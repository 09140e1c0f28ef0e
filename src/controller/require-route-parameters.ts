import { controllerErrors } from './error-codes.js';
import { declaredArguments } from './resolve-controller.js';
import { schemasOf } from './route-schemas.js';
import type { StandardSchema } from './standard-schema.js';
import type { ValueResolver } from './value-resolver.js';

/** The part of a route that is checked. */
interface RouteVariables {
  readonly name: string;
  readonly variables: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Throws `CONTROLLER_ROUTE_PARAMETER` if the controller reads a parameter that the route does not have. */
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

/**
 * Returns the parameters that a schema requires: those that it reports as missing for an empty object. The result of an
 * asynchronous schema is ignored; its violations are only found at requests.
 */
function requiredBy(schema: StandardSchema | undefined): readonly string[] {
  const result = schema?.['~standard'].validate({});
  if (result instanceof Promise) result.catch(() => undefined);
  if (result === undefined || result instanceof Promise || result.issues === undefined) return [];
  return result.issues.flatMap(({ path: [first] = [] }) => {
    const key = typeof first === 'object' ? first.key : first;
    return typeof key === 'string' ? [key] : [];
  });
}
