import {
  type Around,
  type ControllerClass,
  type ControllerTarget,
  type RouteOperation,
  requireRouteParameters,
  type ControllerContext,
} from '#controller';
import type { PathOption, RouteCollection } from '#routing';
import type { App, DeclareRoute, Handler } from '../app/app.js';
import { controllerRoutes } from './controller-routes.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import {
  type AppRoute,
  type RouteGroup,
  type RouteOptions,
  noteRoutePlace,
  type RoutePlace,
} from '../app/route-attribute.js';
import { RouteTarget } from './route-target.js';
import { requestRoute } from '#http';
import type { NodeRequestHandler } from '#web';

type RouteMethods = Pick<
  App,
  'get' | 'post' | 'put' | 'patch' | 'delete' | 'any' | 'route' | 'mount' | 'register' | 'group'
>;

/** Options that the routes of a group inherit. */
interface Layers {
  readonly around?: readonly Around[];
  readonly operation?: RouteOperation | false | undefined;
  /** Whether the location of each route declaration is captured. */
  readonly notesPlaces?: boolean | undefined;
}

/** Creates the methods of an application that declare routes; all of them call `addRoute`. */
export function createRouteMethods(
  routes: RouteCollection,
  app: () => App,
  outer: Layers = {},
): RouteMethods {
  const captureCaller = (method: (...args: never[]) => unknown): RoutePlace | undefined =>
    outer.notesPlaces === true ? noteRoutePlace(method) : undefined;
  const declare = (methods: readonly string[]): DeclareRoute => {
    const declareOne: DeclareRoute = (
      path: PathOption,
      controller: Handler | ControllerTarget,
      options: RouteOptions = {},
    ) => {
      const target = controller as ControllerTarget; // a handler is a controller whose only argument is the context
      const place = captureCaller(declareOne);
      addRoute(routes, { methods, ...options, path, controller: target, place }, outer);
      return app();
    };
    return declareOne;
  };
  return {
    get: declare(['GET']),
    post: declare(['POST']),
    put: declare(['PUT']),
    patch: declare(['PATCH']),
    delete: declare(['DELETE']),
    any: declare([]),
    route: function route(definition) {
      addRoute(routes, { place: captureCaller(route), ...definition }, outer);
      return app();
    },
    mount: function mount(path, handler) {
      const place = captureCaller(mount);
      for (const route of mountRoutes(path, handler)) addRoute(routes, { place, ...route }, outer);
      return app();
    },
    register(...controllers) {
      for (const controller of controllers) registerController(routes, controller, outer);
      return app();
    },
    group({ around, operation, ...shared }: RouteGroup, define) {
      routes.group(shared, (inner) => {
        const further = joinLayers(outer, { around: around ?? [], operation });
        const groupApp: App = { ...app(), ...createRouteMethods(inner, () => groupApp, further) };
        define(groupApp);
      });
      return app();
    },
  };
}

/**
 * Adds a route declared as data. Throws the errors of the routing house, `FRAMEWORK_ROUTE_WITHOUT_CONTROLLER`, or
 * `CONTROLLER_ROUTE_PARAMETER`.
 */
export function addRoute(routes: RouteCollection, route: AppRoute, outer: Layers = {}): void {
  const { controller, arguments: values, around = [], operation, place, ...definition } = route;
  if (controller === undefined || controller === null) {
    const path = typeof route.path === 'string' ? route.path : (Object.values(route.path)[0] ?? '');
    throw frameworkErrors.create('FRAMEWORK_ROUTE_WITHOUT_CONTROLLER', { path });
  }
  const target = new RouteTarget(controller, values, { ...joinLayers(outer, { around, operation }), place });
  for (const added of routes.add({ ...definition, target })) {
    try {
      requireRouteParameters(added, controller, { arguments: values });
    } catch (error) {
      routes.remove(added.key);
      throw error;
    }
  }
}

function registerController(routes: RouteCollection, controller: ControllerClass, outer: Layers): void {
  const { group, routes: declared } = controllerRoutes(controller);
  const { around = [], operation, ...shared } = group;
  const layers = joinLayers(outer, { around, operation });
  routes.group(shared, (inner) => {
    for (const route of declared) addRoute(inner, route, layers);
  });
}

function joinLayers(outer: Layers, inner: Layers): Layers {
  const operation =
    inner.operation === false || outer.operation === false
      ? false
      : { ...outer.operation, ...inner.operation };
  const around = [...(outer.around ?? []), ...(inner.around ?? [])];
  return { around, operation, notesPlaces: outer.notesPlaces };
}

/** Pattern for the rest of the path below a mounted handler. */
const catchAllPath = '/{mountedPath<.*>}';

/** Creates the routes that pass requests of any method, at a path and all paths below it, to a handler of `node:http`. */
function mountRoutes(path: string, handler: NodeRequestHandler): readonly AppRoute[] {
  const base = path.replace(/\/+$/, '');
  const controller = async (context: ControllerContext): Promise<unknown> => {
    const { fromNodeHandler } = await import('#web'); // only loaded if a handler is mounted
    const pattern = context.request.scope.get(requestRoute)?.path ?? base;
    const depth = pattern.replace(catchAllPath, '').split('/').length - 1;
    return fromNodeHandler(handler, { depth })(context);
  };
  const routes: AppRoute[] = [{ path: `${base}${catchAllPath}`, controller, operation: false }];
  return base === '' ? routes : [...routes, { path: base, controller, operation: false }];
}
