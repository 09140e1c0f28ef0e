import type { HttpRequest, HttpResponse } from '#http';
import type { ValueResolver } from './value-resolver.js';

/** A function that answers. What it may return is said at the kernel's view event. */
export type Controller = (...args: never[]) => unknown;

/** A class whose methods answer. What its constructor takes is the business of the application's `instantiate`. */
export type ControllerClass = new (...services: never[]) => object;

/** What a route may name: a function, a class with a `handle` method, or a class and one of its methods. */
export type ControllerTarget = Controller | ControllerClass | readonly [ControllerClass, string];

/** Everything further in: the next layer, or the controller with its arguments and its result. May be called once. */
export type NextLayer = () => HttpResponse | Promise<HttpResponse>;

/**
 * A layer around a controller. It sees the request before and the response after, and may answer without calling
 * `next`; what is thrown further in comes out of `next`. It runs behind the firewall and before the controller's
 * arguments are read: `isGranted` and the check of forged requests are further in. A layer that returns what `next`
 * gave, without waiting for it, leaves a synchronous request synchronous.
 */
export type Around = (request: HttpRequest, next: NextLayer) => HttpResponse | Promise<HttpResponse>;

/** A controller ready to be called. Made once for a route and shared by all requests: it holds no request state. */
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
  /** Where its route was declared, looked up when asked: an absolute path and a line from 1. */
  readonly place?: () => { readonly file: string; readonly line: number } | undefined;
  /** The layers of its route, the outermost first. */
  readonly around?: readonly Around[];
}
