import type { Undo } from './replace-method.js';

type Constructor = new (...args: unknown[]) => object;

/** The proxies of base classes that `watchConstruction` has installed. */
const baseClassProxies = new WeakSet<object>();

/**
 * Calls `note` with each instance of the class of a prototype, in the middle of its constructor: properties that the class
 * itself assigns exist only a microtask later. Used for error classes of libraries whose errors cannot be observed
 * elsewhere. Does not change their stack traces. Returns undefined if the prototype has no class that extends another one,
 * or if the class is already watched.
 */
export function watchConstruction(prototype: object, note: (made: object) => void): Undo | undefined {
  const { constructor: Class } = prototype;
  const former: unknown = typeof Class === 'function' ? Object.getPrototypeOf(Class) : undefined;
  if (typeof former !== 'function' || former === Function.prototype || baseClassProxies.has(former))
    return undefined;
  // The stack of an error starts below the constructor of its class, so that this function is not part of it.
  const construct = (base: Constructor, args: unknown[], newTarget: Function): object => {
    const made = Reflect.construct(base, args, newTarget) as object; // constructors return objects
    note(made);
    return made;
  };
  const baseClassProxy = new Proxy(former as Constructor, { construct }); // a class can only extend a constructor
  if (!Reflect.setPrototypeOf(Class, baseClassProxy)) return undefined;
  baseClassProxies.add(baseClassProxy);
  return () => {
    if (Object.getPrototypeOf(Class) === baseClassProxy) Object.setPrototypeOf(Class, former);
  };
}
