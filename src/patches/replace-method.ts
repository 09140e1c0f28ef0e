/** A method of somebody else's object, called with whatever it takes. */
export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Leaves something as it was. */
export type Undo = () => void;

/** Methods that stand in for others. */
const replacements = new WeakSet<object>();

/**
 * Puts a method in the place of an object's own or inherited one; gives what restores the object exactly. Undefined where
 * there is no such method, or where it is replaced by one of ours already.
 */
export function replaceMethod(
  target: object,
  name: string,
  make: (former: Method) => Method,
): Undo | undefined {
  const former: unknown = Reflect.get(target, name);
  if (typeof former !== 'function' || replacements.has(former)) return undefined;
  const own = Object.getOwnPropertyDescriptor(target, name);
  const value = make(former as Method); // a function, whatever it takes
  replacements.add(value);
  const isDefined = Reflect.defineProperty(target, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: own?.enumerable ?? false,
  });
  if (!isDefined) return undefined;
  return () => {
    if (Reflect.get(target, name) !== value) return; // somebody has put theirs in front: ours only hands on
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}

/** One function for several; those that are there, the last first. */
export function undoAll(undos: readonly (Undo | undefined)[]): Undo {
  return () => {
    for (const undo of undos.toReversed()) undo?.();
  };
}

/** Observes how a promise ends, without a part in its chain: what nobody catches stays uncaught. */
export function onSettled(
  result: unknown,
  { done, failed }: { readonly done: (value: unknown) => void; readonly failed: (error: unknown) => void },
): boolean {
  if (typeof result !== 'object' || result === null || !('then' in result)) return false;
  const { then } = result;
  if (typeof then !== 'function') return false;
  Reflect.apply(then, result, [done, failed]);
  return true;
}
