import type { Controller, ControllerClass } from './controller-target.js';

/** The function that a route's target comes down to, found without making an instance; undefined where there is none. */
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
