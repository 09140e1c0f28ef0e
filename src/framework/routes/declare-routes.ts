import type { ControllerClass, ControllerTarget } from '#controller';
import { requireRouteParameters } from '#controller';
import type { GroupDefinition, PathOption, RouteCollection } from '#routing';
import type { App, DeclareRoute, Handler } from '../app/app.js';
import { controllerRoutes } from './controller-routes.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import type { AppRoute, RouteOptions } from '../app/route-attribute.js';
import { RouteTarget } from './route-target.js';

type RouteMethods = Pick<
  App,
  'get' | 'post' | 'put' | 'patch' | 'delete' | 'any' | 'route' | 'register' | 'group'
>;

/** The ways in which an application declares routes; all of them come down to `route`, the data. */
export function createRouteMethods(routes: RouteCollection, app: () => App): RouteMethods {
  const declare =
    (methods: readonly string[]): DeclareRoute =>
    (path: PathOption, controller: Handler | ControllerTarget, options: RouteOptions = {}) => {
      // A handler is a controller whose one argument is the context.
      addRoute(routes, { methods, ...options, path, controller: controller as ControllerTarget });
      return app();
    };
  return {
    get: declare(['GET']),
    post: declare(['POST']),
    put: declare(['PUT']),
    patch: declare(['PATCH']),
    delete: declare(['DELETE']),
    any: declare([]),
    route(route) {
      addRoute(routes, route);
      return app();
    },
    register(...controllers) {
      for (const controller of controllers) registerController(routes, controller);
      return app();
    },
    group(shared: GroupDefinition, define) {
      routes.group(shared, (inner) => {
        const groupApp: App = { ...app(), ...createRouteMethods(inner, () => groupApp) };
        define(groupApp);
      });
      return app();
    },
  };
}

/** Adds a route given as data. Throws what routing refuses, `FRAMEWORK_ROUTE_WITHOUT_CONTROLLER`, or `CONTROLLER_ROUTE_PARAMETER`. */
export function addRoute(routes: RouteCollection, route: AppRoute): void {
  const { controller, arguments: values, ...definition } = route;
  if (controller === undefined || controller === null) {
    const path = typeof route.path === 'string' ? route.path : (Object.values(route.path)[0] ?? '');
    throw frameworkErrors.create('FRAMEWORK_ROUTE_WITHOUT_CONTROLLER', { path });
  }
  for (const added of routes.add({ ...definition, target: new RouteTarget(controller, values) })) {
    try {
      requireRouteParameters(added, controller, { arguments: values });
    } catch (error) {
      routes.remove(added.key);
      throw error;
    }
  }
}

function registerController(routes: RouteCollection, controller: ControllerClass): void {
  const { group, routes: declared } = controllerRoutes(controller);
  routes.group(group, (inner) => {
    for (const route of declared) addRoute(inner, route);
  });
}
