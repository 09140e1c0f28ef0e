import { type AttributeDecorator, type AttributeType, defineAttribute } from '#attributes';
import type { Around, ControllerTarget, RouteOperation, ValueResolver } from '#controller';
import type { GroupDefinition, PathOption, RouteDefinition } from '#routing';
import { captureCallSites, pathOfFile, type SourceLoader } from '#errors';

/** The options of a route, in addition to its path and its controller. */
export interface RouteOptions extends Omit<RouteDefinition, 'path' | 'target'> {
  /** Where the controller's arguments come from; default: the one context. */
  readonly arguments?: readonly ValueResolver[];
  /** Layers around the controller, the outermost first; those of its group and of the application are further out. */
  readonly around?: readonly Around[];
  /** Its description in OpenAPI and other descriptions of the application; false excludes it. */
  readonly operation?: RouteOperation | false;
}

/** What the routes of a group share. */
export interface RouteGroup extends GroupDefinition {
  /** Layers around the controller of each route. */
  readonly around?: readonly Around[];
  /** The description of each route, unless the route has its own; false excludes all of them. */
  readonly operation?: RouteOperation | false;
}

/** A route as declared on a controller; on a class it is what the routes of its methods share. */
export interface RouteDeclaration extends RouteOptions {
  readonly path: PathOption;
  /** Where it was declared, for records and `lookback routes`. */
  readonly place?: RoutePlace | undefined;
}

/** A route as data. */
export interface AppRoute extends RouteDeclaration {
  readonly controller: ControllerTarget;
}

/** The routes declared on a class or method. */
export const routeAttribute: AttributeType<RouteDeclaration> = defineAttribute<RouteDeclaration>('Route');

/**
 * Declares a route on a controller's method, or what its routes share on the class. Fits TC39 decorators and
 * `experimentalDecorators`.
 */
export function Route(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return routeAttribute.on({ ...options, path, place: noteRoutePlace(Route) });
}

/** `Route` for GET (and so HEAD). */
export function Get(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return Route(path, { ...options, methods: ['GET'] });
}

/** `Route` for POST. */
export function Post(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return Route(path, { ...options, methods: ['POST'] });
}

/** `Route` for PUT. */
export function Put(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return Route(path, { ...options, methods: ['PUT'] });
}

/** `Route` for PATCH. */
export function Patch(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return Route(path, { ...options, methods: ['PATCH'] });
}

/** `Route` for DELETE. */
export function Delete(path: PathOption, options: RouteOptions = {}): AttributeDecorator {
  return Route(path, { ...options, methods: ['DELETE'] });
}

/** Where a route was declared: an absolute path and a line from 1; undefined where no line of the application is known. */
export type RoutePlace = (
  sources: SourceLoader,
) => { readonly file: string; readonly line: number } | undefined;

/** Notes the place from which `below` is being called; its source is looked up when the place is read. */
export function noteRoutePlace(below: (...args: never[]) => unknown): RoutePlace {
  const sites = captureCallSites(below, { depth: 12, limit: 1 });
  return (sources) => {
    const [site] = sites();
    if (site === undefined) return undefined;
    const { file, line, column } = site;
    const path = pathOfFile(file);
    const original = sources.findOriginal({ path, line, column });
    return { file: original?.path ?? path, line: original?.line ?? line };
  };
}
