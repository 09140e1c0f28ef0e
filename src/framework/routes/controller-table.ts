import type { ContextServices, ControllerClass, ResolvedController, ValueResolver } from '#controller';
import { ControllerContext, resolveController } from '#controller';
import type { SourceLoader } from '#errors';
import type { Route } from '#routing';
import type { Extension } from '../app/extension.js';
import { dereference } from './extension-argument.js';
import { RouteTarget } from './route-target.js';

interface ControllerTableOptions {
  readonly instantiate?: ((owner: ControllerClass) => object) | undefined;
  /** Maps compiled positions of route declarations to the original sources. */
  readonly sources: SourceLoader;
  /** Extensions of the application; read when a route is first called. */
  readonly extensions: readonly Extension[];
}

function construct(Owner: ControllerClass): object {
  return Reflect.construct(Owner, []) as object; // constructors return objects
}

/**
 * Returns a function that resolves the controller of a route, once per route. Each controller class is instantiated once.
 */
export function createControllerTable(
  services: ContextServices,
  { instantiate = construct, sources, extensions }: ControllerTableOptions,
): (route: Route) => ResolvedController {
  const resolved = new WeakMap<Route, ResolvedController>();
  const instances = new Map<ControllerClass, object>();
  const context: ValueResolver<ControllerContext> = {
    name: 'context',
    resolve: (request) => new ControllerContext(request, services),
  };
  const instanceOf = (owner: ControllerClass): object => {
    let instance = instances.get(owner);
    if (instance === undefined) instances.set(owner, (instance = instantiate(owner)));
    return instance;
  };
  return (route) => {
    let controller = resolved.get(route);
    if (controller === undefined) {
      const target =
        route.target instanceof RouteTarget ? route.target : new RouteTarget(route.target as never); // resolveController checks the type
      const made = resolveController(target.controller, {
        route: route.name,
        arguments: target.arguments,
        context,
        instantiate: instanceOf,
      });
      const { around, place } = target;
      controller = {
        ...made,
        arguments: made.arguments.map((one) => dereference(one, extensions)),
        ...(around.length > 0 && { around }),
        ...(place !== undefined && { place: once(() => place(sources)) }),
      };
      resolved.set(route, controller);
    }
    return controller;
  };
}

/** Caches the result of the first call. */
function once<Result>(work: () => Result): () => Result {
  let found: { readonly result: Result } | undefined;
  return () => (found ??= { result: work() }).result;
}
