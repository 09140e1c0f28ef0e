/** A method of a foreign object, with any parameters. */
export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Leaves something as it was. */
export type Undo = () => void;

/** Methods that stand in for others. */
const replacements = new WeakSet<object>();

/** Done in place of a method: gets the method itself, what it was called with, and on what. */
export type Replacement<Self> = (former: Method, args: unknown[], self: Self) => unknown;

/**
 * Replaces an object's own or inherited method; returns a function that restores the object exactly. Returns undefined
 * if there is no such method, or if lookback has already replaced it. `Self` is what the method is called on.
 */
export function replaceMethod<Self = unknown>(
  target: object,
  name: string,
  replacement: Replacement<Self>,
): Undo | undefined {
  const former: unknown = Reflect.get(target, name);
  if (typeof former !== 'function' || replacements.has(former)) return undefined;
  const own = Object.getOwnPropertyDescriptor(target, name);
  const value = function lookback(this: Self, ...args: unknown[]): unknown {
    return replacement(former as Method, args, this); // a function, whatever it takes
  };
  replacements.add(value);
  const isDefined = Reflect.defineProperty(target, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: own?.enumerable ?? false,
  });
  if (!isDefined) return undefined;
  return () => {
    if (Reflect.get(target, name) !== value) return; // someone has put theirs in front: ours only hands on
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

/**
 * The promise to hand on in place of one that is observed: it settles as that does, after the observer was notified. A second
 * reaction on the same promise would mark a rejection without a handler as handled, and take the frames of whoever
 * awaits it from stacks (V8 follows promises with one reaction only). Undefined if the value is no promise.
 */
export function followPromise(
  result: unknown,
  { done, failed }: { readonly done: (value: unknown) => void; readonly failed: (error: unknown) => void },
): unknown {
  if (typeof result !== 'object' || result === null || !('then' in result)) return undefined;
  const { then } = result;
  if (typeof then !== 'function') return undefined;
  const fulfilled = (value: unknown): unknown => {
    done(value);
    return value;
  };
  const rejected = (error: unknown): never => {
    failed(error);
    throw error;
  };
  return Reflect.apply(then, result, [fulfilled, rejected]);
}
