import type { HttpRequest, HttpResponse } from '#core/http';
import type { ValueResolver } from './resolve-arguments.js';

/** A function that answers requests. The kernel's view event documents the results it may return. */
export type Controller = (...args: never[]) => unknown;

/** A type with an error if a controller with this result returns nothing; otherwise `unknown`. */
export type Answers<Result> = 0 extends 1 & Awaited<Result>
  ? unknown
  : [Awaited<Result>] extends [never]
    ? unknown
    : [Awaited<Result>] extends [void]
      ? { readonly error: 'The controller returns nothing. Return a result, or HttpResponse.empty().' }
      : unknown;

/** A class whose methods answer requests. The application's `instantiate` supplies its constructor arguments. */
export type ControllerClass = new (...services: never[]) => object;

/** A route's controller: a function, a class with a `handle` method, or a class and a method name. */
export type ControllerTarget = Controller | ControllerClass | readonly [ControllerClass, string];

/** Calls the next layer; the innermost one resolves the arguments and calls the controller. May be called once. */
export type NextLayer = () => HttpResponse | Promise<HttpResponse>;

/**
 * A layer around a controller. It receives the request, can change `next`'s response, and may answer without calling
 * `next`. `next` throws the errors of inner layers and the controller. A layer runs after the firewall and before the
 * controller's arguments are resolved: `isGranted` and the CSRF check run inside `next`. A layer that returns the
 * result of `next` without awaiting it keeps a synchronous request synchronous.
 */
export type Around = (request: HttpRequest, next: NextLayer) => HttpResponse | Promise<HttpResponse>;

/** A controller that is ready to be called, shared by all requests to its route: it has no request state. */
export interface ResolvedController {
  /** Display name: `articles`, `ArticleController.show`. */
  readonly name: string;
  readonly call: (...args: unknown[]) => unknown;
  /** The function on which attributes are declared. */
  readonly target: Controller;
  /** The method's class; undefined for a function. */
  readonly owner: ControllerClass | undefined;
  readonly arguments: readonly ValueResolver[];
  /** Looks up where the route was declared: absolute path, and line counted from 1. */
  readonly location?: () => { readonly file: string; readonly line: number } | undefined;
  /** The route's layers, outermost first. */
  readonly around?: readonly Around[];
}

/**
 * Returns the class and the method of a controller; undefined for a plain function, and for anything that is not a
 * controller.
 */
export function methodTarget(target: unknown): readonly [owner: ControllerClass, method: string] | undefined {
  if (isClass(target)) return [target, 'handle'];
  if (!Array.isArray(target) || target.length !== 2) return undefined;
  const [owner, method]: unknown[] = target;
  return isClass(owner) && typeof method === 'string' ? [owner, method] : undefined;
}

/** Finds a controller's function without creating an instance; undefined if there is none. */
export function controllerFunction(target: unknown): Controller | undefined {
  const found = methodTarget(target);
  if (found !== undefined) return methodOf(...found);
  return typeof target === 'function' ? (target as Controller) : undefined; // typeof has just checked it
}

export function methodOf(owner: ControllerClass, name: string): Controller | undefined {
  const method: unknown = Reflect.get(owner.prototype as object, name); // a class always has a prototype object
  return typeof method === 'function' && name !== 'constructor' ? (method as Controller) : undefined; // typeof has just checked it
}

/** Whether a value is a class. Only its source text distinguishes a class from a function without calling it. */
export function isClass(value: unknown): value is ControllerClass {
  return typeof value === 'function' && /^class[\s{]/.test(Function.prototype.toString.call(value));
}
