import type { Undo } from './replace-method.js';

type Constructor = new (...args: unknown[]) => object;

/** Those that stand in for the classes that others extend. */
const standIns = new WeakSet<object>();

/**
 * Calls `note` with each object that the class of a prototype makes, in the middle of its constructor: what the class itself
 * assigns is there a microtask later. For classes of errors, which libraries make in places that nothing else leads to.
 * Their stacks stay as they are. Undefined if there is no such class, or if it is watched already.
 */
export function watchConstruction(prototype: object, note: (made: object) => void): Undo | undefined {
  const { constructor: Class } = prototype;
  const former: unknown = typeof Class === 'function' ? Object.getPrototypeOf(Class) : undefined;
  if (typeof former !== 'function' || former === Function.prototype || standIns.has(former)) return undefined;
  // The stack of what is made begins behind the constructor of its class, so without this function.
  const construct = (base: Constructor, args: unknown[], newTarget: Function): object => {
    const made = Reflect.construct(base, args, newTarget) as object; // a constructor makes nothing else
    note(made);
    return made;
  };
  const standIn = new Proxy(former as Constructor, { construct }); // a class extends nothing else
  if (!Reflect.setPrototypeOf(Class, standIn)) return undefined;
  standIns.add(standIn);
  return () => {
    if (Object.getPrototypeOf(Class) === standIn) Object.setPrototypeOf(Class, former);
  };
}
