import type { ContextServices, ControllerClass, ResolvedController, ValueResolver } from '#controller';
import { ControllerContext, resolveController } from '#controller';
import type { Route } from '#routing';
import { RouteTarget } from './route-target.js';

/** Makes the callable of each route once, when it is first asked for, and each class's instance once. */
export function createControllerTable(
  services: ContextServices,
  instantiate: (owner: ControllerClass) => object = (Owner) => Reflect.construct(Owner, []) as object, // a constructor makes objects
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
        route.target instanceof RouteTarget ? route.target : new RouteTarget(route.target as never); // resolveController checks it
      const made = resolveController(target.controller, {
        route: route.name,
        arguments: target.arguments,
        context,
        instantiate: instanceOf,
      });
      controller = target.around.length === 0 ? made : { ...made, around: target.around };
      resolved.set(route, controller);
    }
    return controller;
  };
}
