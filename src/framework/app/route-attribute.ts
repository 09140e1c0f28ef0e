import {
  anything,
  callable,
  either,
  flag,
  listOf,
  objectWith,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  type OptionTypes,
  required,
  type RequiredOption,
  text,
} from '#core/options';
import { type AttributeDecorator, type AttributeType, defineAttribute } from '#core/attributes';
import {
  type Around,
  type ControllerTarget,
  operationSchema,
  type RouteOperation,
  type ValueResolver,
} from '#framework/controller';
import {
  type GroupDefinition,
  type PathOption,
  routePath,
  type RouteDefinition,
  sharedRouteTypes,
} from '#core/routing';
import { captureCallSites, pathOfFile, type SourceLoader } from '#core/errors';

/** Route options in addition to path and controller. */
export interface RouteOptions extends Omit<RouteDefinition, 'path' | 'target'> {
  /** The controller's arguments. Default: those declared on the controller, otherwise the context. */
  readonly arguments?: readonly ValueResolver[];
  /** Layers around the controller, outermost first, inside the layers of its group and the application. */
  readonly around?: readonly Around[];
  /** Description for OpenAPI and other application descriptions; false excludes the route. */
  readonly operation?: RouteOperation | false;
  /**
   * Whether a form posted to the path may name the route's method in a `_method` field, because HTML forms can only
   * send GET and POST. Default: the setting of its group or the application, otherwise false.
   */
  readonly formMethod?: boolean;
}

/** Options shared by a group's routes. */
export interface RouteGroup extends GroupDefinition {
  /** Layers around all controllers in the group. */
  readonly around?: readonly Around[];
  /** Default description for the routes; false excludes all of them. */
  readonly operation?: RouteOperation | false;
  /** Whether forms may name the routes' methods in a `_method` field. */
  readonly formMethod?: boolean;
}

/** A route as declared on a controller. A declaration on a class is shared by its methods' routes. */
export interface RouteDeclaration extends RouteOptions {
  readonly path: PathOption;
  /** The declaration's location, for records and `lookback routes`. */
  readonly location?: RouteLocation | undefined;
}

/** A route as data. */
export interface AppRoute extends RouteDeclaration {
  readonly controller: ControllerTarget;
}

/** Attribute that holds a class's or method's routes. */
export const routeAttribute: AttributeType<RouteDeclaration> = defineAttribute<RouteDeclaration>('Route');

/**
 * Decorator that declares a route on a controller method or, on the class, the shared options of its routes. Works as a
 * TC39 decorator and with `experimentalDecorators`.
 */
export function Route(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return routeAttribute.on({ ...options, path, location: noteRouteLocation(Route) });
}

const routeFor =
  (method: string): typeof Route =>
  (path, options) =>
    Route(path, { ...options, methods: [method] });

/** `Route` for GET, which includes HEAD. */
export const Get: typeof Route = routeFor('GET');
/** `Route` for POST. */
export const Post: typeof Route = routeFor('POST');
/** `Route` for PUT. */
export const Put: typeof Route = routeFor('PUT');
/** `Route` for PATCH. */
export const Patch: typeof Route = routeFor('PATCH');
/** `Route` for DELETE. */
export const Delete: typeof Route = routeFor('DELETE');

/** Looks up where a route was declared: absolute path, and line counted from 1; undefined if unknown. */
export type RouteLocation = (
  sources: SourceLoader,
) => { readonly file: string; readonly line: number } | undefined;

/** Captures the position from which `below` is called; the original source is looked up when the location is read. */
export function noteRouteLocation(below: (...args: never[]) => unknown): RouteLocation {
  const sites = captureCallSites(below, { depth: 12, limit: 1 });
  let found: ReturnType<RouteLocation>;
  return (sources) => {
    const [site] = found === undefined ? sites() : [];
    if (site === undefined) return found;
    const { file, line, column } = site;
    const path = pathOfFile(file);
    const original = sources.findOriginal({ path, line, column });
    return (found = { file: original?.path ?? path, line: original?.line ?? line });
  };
}

const arounds = listOf(callable<Around>());
const groupTypes: OptionTypes<Omit<RouteGroup, 'path' | 'name'>> = {
  ...sharedRouteTypes,
  around: arounds,
  operation: either(operationSchema, oneOf(false)),
  formMethod: flag,
};

export const routeGroupSchema: OptionsSchema<RouteGroup> = optionsSchema<RouteGroup>({
  ...groupTypes,
  path: routePath,
  name: text,
});

export const appRouteSchema: OptionsSchema<AppRoute> = optionsSchema<AppRoute>({
  ...groupTypes,
  path: required(routePath),
  name: text,
  controller: anything<ControllerTarget>() as RequiredOption<ControllerTarget>, // a separate code says that it is missing
  arguments: listOf(objectWith<ValueResolver>('a ValueResolver', 'resolve')),
  location: callable(),
});
