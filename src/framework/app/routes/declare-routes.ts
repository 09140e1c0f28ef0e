import { attributesOf } from '#core/attributes';
import { checkOptions, checkValue, type OptionType, optionType } from '#core/options';
import {
  type Around,
  type Controller,
  type ControllerClass,
  controllerFunction,
  type ControllerTarget,
  requireRouteParameters,
  type RouteOperation,
  type RouteSchemas,
  schemasOf,
  takesUpgrades,
  type ValueResolver,
} from '#framework/controller';
import type { PathOption, Route, RouteCollection } from '#core/routing';
import type { App, DeclareRoute, Handler } from '../app.js';
import {
  type AppRoute,
  appRouteSchema,
  noteRouteLocation,
  routeAttribute,
  type RouteDeclaration,
  type RouteGroup,
  routeGroupSchema,
  type RouteOptions,
  type RouteLocation,
} from '../route-attribute.js';
import { frameworkErrors } from '../configuration/error-codes.js';

type RouteMethods = Pick<
  App,
  'get' | 'post' | 'put' | 'patch' | 'delete' | 'any' | 'route' | 'register' | 'group'
>;

interface Layers {
  readonly around?: readonly Around[];
  readonly operation?: RouteOperation | false | undefined;
  /** Whether forms may name the route's method. */
  readonly formMethod?: boolean | undefined;
  /** Whether each route declaration's location is captured. */
  readonly notesLocations?: boolean | undefined;
}

/** The framework routes' `Route.target`: the controller with its arguments, layers and description. */
export class RouteTarget {
  readonly controller: ControllerTarget;
  readonly arguments: readonly ValueResolver[] | undefined;
  readonly around: readonly Around[];
  /** The declaration's location; outside debug only known for decorators. */
  readonly location: RouteLocation | undefined;
  readonly schemas: RouteSchemas | undefined;
  /** Description for OpenAPI and other descriptions; false excludes the route. */
  readonly operation: RouteOperation | false;
  /** Whether forms may name the route's method; undefined uses the application's setting. */
  readonly formMethod: boolean | undefined;

  constructor(
    controller: ControllerTarget,
    values?: readonly ValueResolver[],
    {
      around = [],
      operation = {},
      formMethod,
      location,
    }: Layers & { readonly location?: RouteLocation | undefined } = {},
  ) {
    this.controller = controller;
    this.arguments = values;
    this.around = around;
    this.location = location;
    this.operation = operation;
    this.formMethod = formMethod;
    this.schemas = schemasOf(controller);
  }
}

/** Returns a route's schemas, for code that describes the application: OpenAPI, a typed client, a page. */
export function findRouteSchemas({ target }: Pick<Route, 'target'>): RouteSchemas | undefined {
  return target instanceof RouteTarget ? target.schemas : undefined;
}

/** Returns whether the route switches to another protocol, such as WebSocket. */
export function isUpgrading({ target }: Pick<Route, 'target'>): boolean {
  const declaredOn = target instanceof RouteTarget ? controllerFunction(target.controller) : undefined;
  return declaredOn !== undefined && attributesOf(takesUpgrades, declaredOn).length > 0;
}

/** Whether a form may name a route's method: the route's setting, otherwise the application's. */
export function takesFormMethod(
  { target }: Pick<Route, 'target'>,
  { byDefault }: { readonly byDefault: boolean },
): boolean {
  return target instanceof RouteTarget && (target.formMethod ?? byDefault);
}

const controllerClass: OptionType<ControllerClass> = optionType(
  'a class with routes',
  (value) => typeof value === 'function' && typeof value.prototype === 'object',
);

/** Creates an application's methods that declare routes; all of them call `addRoute`. */
export function createRouteMethods(
  routes: RouteCollection,
  app: () => App,
  outer: Layers = {},
): RouteMethods {
  const captureCaller = (method: (...args: never[]) => unknown): RouteLocation | undefined =>
    outer.notesLocations === true ? noteRouteLocation(method) : undefined;
  const declare = (methods: readonly string[]): DeclareRoute => {
    const declareOne: DeclareRoute = (
      path: PathOption,
      controller: Handler | ControllerTarget,
      options: RouteOptions = {},
    ) => {
      const target = controller as ControllerTarget; // a handler is a controller whose only argument is the context
      const location = captureCaller(declareOne);
      addRoute(routes, { methods, ...options, path, controller: target, location }, outer);
      return app();
    };
    return declareOne;
  };
  /** `add` adds a group's routes to the given collection, with the layers that they inherit. */
  const addGroup = (
    location: string,
    group: RouteGroup,
    add: (inner: RouteCollection, layers: Layers) => void,
  ): App => {
    checkOptions(location, group, routeGroupSchema);
    const { around = [], operation, formMethod, ...shared } = group;
    routes.group(shared, (inner) => add(inner, joinLayers(outer, { around, operation, formMethod })));
    return app();
  };
  return {
    get: declare(['GET']),
    post: declare(['POST']),
    put: declare(['PUT']),
    patch: declare(['PATCH']),
    delete: declare(['DELETE']),
    any: declare([]),
    route: function route(definition) {
      addRoute(routes, { location: captureCaller(route), ...definition }, outer);
      return app();
    },
    register(...controllers) {
      for (const controller of controllers) {
        checkValue('app.register()', 'controller', controller, controllerClass);
        const { group, routes: declared } = controllerRoutes(controller);
        addGroup(`The routes of ${controller.name}`, group, (inner, layers) => {
          for (const route of declared) addRoute(inner, route, layers);
        });
      }
      return app();
    },
    group(group: RouteGroup, define) {
      return addGroup(`The group ${JSON.stringify(group.path ?? '')}`, group, (inner, layers) => {
        const groupApp: App = { ...app(), ...createRouteMethods(inner, () => groupApp, layers) };
        define(groupApp);
      });
    },
  };
}

const controllerTarget: OptionType<ControllerTarget> = optionType(
  'a function, a class with a handle method, or [Class, "method"]',
  (value) =>
    typeof value === 'function' ||
    (Array.isArray(value) && typeof value[0] === 'function' && typeof value[1] === 'string'),
);

/** Adds a route. Also throws `FRAMEWORK_ROUTE_WITHOUT_CONTROLLER` and `CONTROLLER_ROUTE_PARAMETER`. */
export function addRoute(routes: RouteCollection, route: AppRoute, outer: Layers = {}): void {
  checkOptions(`The route ${JSON.stringify(route.path)}`, route, appRouteSchema);
  const {
    controller,
    arguments: values,
    around = [],
    operation,
    formMethod,
    location,
    ...definition
  } = route;
  if (controller === undefined || controller === null) {
    const path = typeof route.path === 'string' ? route.path : (Object.values(route.path)[0] ?? '');
    throw frameworkErrors.create('FRAMEWORK_ROUTE_WITHOUT_CONTROLLER', { path });
  }
  checkValue(`The route ${JSON.stringify(route.path)}`, 'controller', controller, controllerTarget);
  const target = new RouteTarget(controller, values, {
    ...joinLayers(outer, { around, operation, formMethod }),
    location,
  });
  for (const added of routes.add({ ...definition, target })) {
    try {
      requireRouteParameters(added, controller, { arguments: values });
    } catch (error) {
      routes.remove(added.key);
      throw error;
    }
  }
}

function joinLayers(outer: Layers, inner: Layers): Layers {
  const operation =
    inner.operation === false || outer.operation === false
      ? false
      : { ...outer.operation, ...inner.operation };
  const around = [...(outer.around ?? []), ...(inner.around ?? [])];
  const formMethod = inner.formMethod ?? outer.formMethod;
  return { around, operation, formMethod, notesLocations: outer.notesLocations };
}

/**
 * Reads the routes of a controller class, and their shared options. A route without a name is named after its class and
 * method: `ArticleController.show` → `article_show`. Throws `FRAMEWORK_NO_ROUTES_DECLARED` for a class without routes.
 */
export function controllerRoutes(owner: ControllerClass): { group: RouteGroup; routes: readonly AppRoute[] } {
  const routes = methodsOf(owner).flatMap(([method, target]) =>
    attributesOf(routeAttribute, target).map((declaration, index): AppRoute => ({
      ...declaration,
      name: declaration.name ?? defaultName(owner, method, index),
      controller: [owner, method],
    })),
  );
  const shared = attributesOf(routeAttribute, owner).at(-1);
  if (routes.length > 0) return { group: shared === undefined ? {} : groupOf(shared), routes };
  const prototype = owner.prototype as object; // a class always has a prototype
  if (shared === undefined || !Reflect.has(prototype, 'handle')) {
    throw frameworkErrors.create('FRAMEWORK_NO_ROUTES_DECLARED', { class: owner.name });
  }
  return {
    group: {},
    routes: [{ ...shared, name: shared.name ?? snakeCase(owner.name), controller: owner }],
  };
}

function methodsOf(owner: ControllerClass): [string, Controller][] {
  const methods: [string, Controller][] = [];
  for (const name of Object.getOwnPropertyNames(owner.prototype)) {
    const value: unknown = Object.getOwnPropertyDescriptor(owner.prototype, name)?.value;
    if (name !== 'constructor' && typeof value === 'function') methods.push([name, value as Controller]); // typeof has just checked it
  }
  return methods;
}

function groupOf({ arguments: _values, location: _place, ...shared }: RouteDeclaration): RouteGroup {
  return shared;
}

function defaultName(owner: ControllerClass, method: string, index: number): string {
  const name = `${snakeCase(owner.name.replace(/Controller$/, ''))}_${snakeCase(method)}`;
  return index === 0 ? name : `${name}_${index}`;
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
