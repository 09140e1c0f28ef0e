import type { HttpRequest, HttpResponse } from '#http';
import type { ValueResolver } from './value-resolver.js';

/** A function that answers. The kernel's view event lists what it may return. */
export type Controller = (...args: never[]) => unknown;

/** A class whose methods answer. The application's `instantiate` supplies the arguments of its constructor. */
export type ControllerClass = new (...services: never[]) => object;

/** What a route may name: a function, a class with a `handle` method, or a class and one of its methods. */
export type ControllerTarget = Controller | ControllerClass | readonly [ControllerClass, string];

/** Everything further in: the next layer, or the controller with its arguments and its result. May be called once. */
export type NextLayer = () => HttpResponse | Promise<HttpResponse>;

/**
 * A layer around a controller. It sees the request before and the response after, and may answer without calling
 * `next`, which rethrows the errors of inner layers and of the controller. It runs after the firewall and before the
 * controller's arguments are resolved: `isGranted` and the check against forged requests run inside `next`. A layer
 * that returns the result of `next` without awaiting it keeps a synchronous request synchronous.
 */
export type Around = (request: HttpRequest, next: NextLayer) => HttpResponse | Promise<HttpResponse>;

/** A controller ready to be called. Created once per route and shared by all requests: it holds no request state. */
export interface ResolvedController {
  /** `articles`, `ArticleController.show`: for people. */
  readonly name: string;
  /** Calls it, bound to its instance. */
  readonly call: (...args: unknown[]) => unknown;
  /** The function itself: what attributes were declared on. */
  readonly target: Controller;
  /** The class that the function is a method of. */
  readonly owner: ControllerClass | undefined;
  readonly arguments: readonly ValueResolver[];
  /** Where its route was declared, looked up on demand: an absolute path and a line from 1. */
  readonly place?: () => { readonly file: string; readonly line: number } | undefined;
  /** The layers of its route, the outermost first. */
  readonly around?: readonly Around[];
}

/** The function behind a route's target, found without creating an instance; undefined if there is none. */
export function controllerFunction(target: unknown): Controller | undefined {
  if (Array.isArray(target) && target.length === 2 && isClass(target[0]) && typeof target[1] === 'string')
    return methodOf(target[0], target[1]);
  if (isClass(target)) return methodOf(target, 'handle');
  return typeof target === 'function' ? (target as Controller) : undefined; // just found to be a function
}

/** A method of a class by its name. */
export function methodOf(owner: ControllerClass, name: string): Controller | undefined {
  const method: unknown = Reflect.get(owner.prototype as object, name); // a class always has a prototype object
  return typeof method === 'function' && name !== 'constructor' ? (method as Controller) : undefined; // just found to be a function
}

/** Decided by the source text: calling it to find out would run it, and both are functions to the language. */
export function isClass(value: unknown): value is ControllerClass {
  return typeof value === 'function' && /^class[\s{]/.test(Function.prototype.toString.call(value));
}
