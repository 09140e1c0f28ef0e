import { attributesOf } from '#core/attributes';
import type { Route } from '#core/routing';
import { checkedContext, checkResult } from './check-request.js';
import {
  type ControllerClass,
  controllerFunction,
  methodOf,
  methodTarget,
  type ResolvedController,
} from './controller-target.js';
import { controllerErrors } from './error-codes.js';
import { controllerArguments, type ValueResolver } from './resolve-arguments.js';
import { schemasOf } from './route-schemas.js';
import { pathOf, type StandardSchema } from './validation-error.js';

export interface ControllerOptions {
  readonly route: string;
  /** Arguments declared with the route. Default: those declared on the controller, otherwise the context. */
  readonly arguments?: readonly ValueResolver[] | undefined;
  /** The argument of controllers without declared arguments. */
  readonly context: ValueResolver;
  /** Creates or finds a controller class's instance. */
  readonly instantiate: (owner: ControllerClass) => object;
}

/** Resolves a route's target to a controller. Throws `CONTROLLER_NOT_CALLABLE` or `CONTROLLER_NO_METHOD`. */
export function resolveController(target: unknown, options: ControllerOptions): ResolvedController {
  const found = methodTarget(target);
  if (found !== undefined) return resolveMethod(...found, options);
  if (typeof target !== 'function') {
    throw controllerErrors.create('CONTROLLER_NOT_CALLABLE', {
      route: options.route,
      what: target === null ? 'null' : typeof target,
    });
  }
  const call = target as (...args: unknown[]) => unknown; // the resolvers return the declared arguments
  return finish({ name: target.name || options.route, call, target: call, owner: undefined }, options);
}

function resolveMethod(owner: ControllerClass, name: string, options: ControllerOptions): ResolvedController {
  const target = methodOf(owner, name);
  if (target === undefined) throw noSuchMethod(owner, name);
  const instance = options.instantiate(owner);
  const call = (target as (...args: unknown[]) => unknown).bind(instance); // the resolvers return the declared arguments
  return finish({ name: `${owner.name}.${name}`, call, target, owner }, options);
}

/** Adds the arguments and, if the controller has schemas, its result's validation. */
function finish(
  found: Omit<ResolvedController, 'arguments'>,
  { arguments: given, context }: ControllerOptions,
): ResolvedController {
  const { name, call, target } = found;
  const schemas = schemasOf(target);
  const declared = given ?? declaredArguments(target);
  if (schemas === undefined) return { ...found, arguments: declared ?? [context] };
  return {
    ...found,
    call: async (...args) => checkResult(schemas, await call(...args), name),
    arguments: declared ?? [checkedContext(schemas, context)],
  };
}

/** Returns the arguments declared on a controller, or undefined. */
function declaredArguments(target: unknown): readonly ValueResolver[] | undefined {
  const declaredOn = controllerFunction(target);
  return declaredOn === undefined ? undefined : attributesOf(controllerArguments, declaredOn).at(-1);
}

function noSuchMethod(owner: ControllerClass, name: string): Error {
  const methods = Object.getOwnPropertyNames(owner.prototype).filter((method) => method !== 'constructor');
  return controllerErrors.create('CONTROLLER_NO_METHOD', {
    class: owner.name,
    method: name,
    methods: methods.join(', ') || '(it has none)',
  });
}

/** Throws `CONTROLLER_ROUTE_PARAMETER` if the controller reads a parameter that the route does not have. */
export function requireRouteParameters(
  route: Pick<Route, 'name' | 'variables' | 'defaults'>,
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

/** Returns the parameters that a schema reports as missing for an empty object; none if the schema is asynchronous. */
function requiredBy(schema: StandardSchema | undefined): readonly string[] {
  const result = schema?.['~standard'].validate({});
  if (result instanceof Promise) result.catch(() => undefined);
  if (result === undefined || result instanceof Promise || result.issues === undefined) return [];
  return result.issues.map((issue) => pathOf(issue)[0]).filter((key) => typeof key === 'string');
}
