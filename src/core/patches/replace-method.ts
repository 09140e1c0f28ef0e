import { hideOwnFrames } from './hide-own-frames.js';

/** A foreign object's method, with any parameters. */
export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Reverts a change. */
export type Undo = () => void;

/** All methods installed by `replaceMethod`, so that none is replaced twice. */
const replacements = new WeakSet<object>();

/** Called instead of a method, with the original method, its arguments and its `this`. */
type Replacement<Self> = (former: Method, args: unknown[], self: Self) => unknown;

/**
 * Replaces a method; returns a function that restores the object exactly. Undefined if there is no such method, or if
 * lookback has already replaced it.
 */
export function replaceMethod<Self = unknown>(
  target: object,
  name: string,
  replacement: Replacement<Self>,
): Undo | undefined {
  return installMethod(
    target,
    name,
    (former) =>
      function lookback(this: Self, ...args: unknown[]): unknown {
        return withRoomInStacks(() => replacement(former, args, this));
      },
  );
}

/** Maximum frames of this package between an application's call and the function that it calls. */
const maxOwnFrames = 12;
/**
 * Maximum sum for nested methods. The application's code inside them sees the raised limit, and V8 captures that many frames for each of
 * its errors; fewer lookback frames than that are among its top ten.
 */
const maxAdded = 5 * maxOwnFrames;

/** The sum that currently running methods, nested within each other, have added to the process's limit. */
let added = 0;

/**
 * Runs work with V8's stack limit raised by the number of frames that lookback adds here, so that the application's
 * frames fit. The limit is restored afterwards, unless the application has changed it meanwhile.
 */
export function withRoomInStacks<Result>(work: () => Result): Result {
  const { stackTraceLimit: limit } = Error;
  const more = Math.min(maxOwnFrames, maxAdded - added);
  const raised = limit + more;
  // It may be frozen, or not a number; 0 means that the application wants no stacks.
  if (!(limit > 0) || !Reflect.set(Error, 'stackTraceLimit', raised)) return work();
  added += more;
  try {
    return work();
  } catch (error) {
    hideOwnFrames(error, raised - added);
    throw error;
  } finally {
    added -= more;
    if (Error.stackTraceLimit === raised) Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

/**
 * Removes this package's frames from the stack of an error that the application sees next, although no method has
 * thrown it here.
 */
export function hideOwnFramesOf(error: unknown): void {
  hideOwnFrames(error, Error.stackTraceLimit - added);
}

/**
 * Replaces a method like `replaceMethod`, with a dedicated wrapper that V8 can optimise: for methods called several
 * times a request.
 */
export function installMethod(
  target: object,
  name: string,
  make: (former: Method) => (this: never, ...args: unknown[]) => unknown,
): Undo | undefined {
  const former: unknown = Reflect.get(target, name);
  if (typeof former !== 'function' || replacements.has(former)) return undefined;
  const own = Object.getOwnPropertyDescriptor(target, name);
  const value = make(former as Method); // checked above to be a function
  replacements.add(value);
  const isDefined = Reflect.defineProperty(target, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: own?.enumerable === true,
  });
  if (!isDefined) return undefined;
  return () => {
    if (Reflect.get(target, name) !== value) return; // another library has wrapped our method: it stays and only forwards
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}

/** Combines several undo functions into one, which calls them in reverse order. */
export function undoAll(undos: readonly (Undo | undefined)[]): Undo {
  return () => {
    for (const undo of undos.toReversed()) undo?.();
  };
}

/**
 * Notifies an observer when a promise settles, and returns a promise to pass on instead of the original: it settles in
 * the same way, after the notification. A second reaction on the original promise would mark an unhandled rejection as
 * handled, and remove the awaiter's frames from stack traces (V8 follows only promises with a single reaction). Returns
 * undefined if the value is not a promise.
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

/** Runs work, and notifies an observer when it, or its returned promise, has ended. Passes its result or error on. */
export function followResult<Result>(
  work: () => Result,
  observer: { readonly done: (value: unknown) => void; readonly failed: (error: unknown) => void },
): Result {
  let result: Result;
  try {
    result = withRoomInStacks(work);
  } catch (error) {
    observer.failed(error);
    throw error;
  }
  const followed = followPromise(result, observer);
  if (followed === undefined) observer.done(result);
  return (followed ?? result) as Result; // a promise that settles in the same way
}

/**
 * Applies a change once for all callers, and reverts it when the last one releases it. Releasing twice has no effect.
 */
export function shareUndo<Target extends object>(
  begin: (target: Target) => Undo | undefined,
): (target: Target) => Undo {
  const known = new WeakMap<Target, { users: number; readonly undo: Undo | undefined }>();
  return (target) => {
    const entry = known.get(target) ?? { users: 0, undo: begin(target) };
    known.set(target, entry);
    entry.users++;
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      if (--entry.users > 0) return;
      known.delete(target);
      entry.undo?.();
    };
  };
}

type Constructor = new (...args: unknown[]) => object;

/** The base class proxies that `watchConstruction` has installed. */
const baseClassProxies = new WeakSet<object>();

/**
 * Calls `note` with each instance of a prototype's class, in the middle of its constructor: properties that the class itself assigns exist
 * only a microtask later. For libraries' error classes whose instances cannot be observed elsewhere. Does not change their stack traces.
 * Returns undefined if the prototype's class does not extend another one, or is already watched.
 */
export function watchConstruction(prototype: object, note: (made: object) => void): Undo | undefined {
  const { constructor: Class } = prototype;
  const former: unknown = typeof Class === 'function' ? Object.getPrototypeOf(Class) : undefined;
  if (typeof former !== 'function' || former === Function.prototype || baseClassProxies.has(former))
    return undefined;
  // The stack of an error starts below its class's constructor, so this function is not part of it.
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
