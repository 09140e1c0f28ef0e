import { AsyncResource } from 'node:async_hooks';
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { followResult, undoAll } from '#core/patches';
import { bindScope, currentScope, type Scope } from '#core/scope';
import { type Moment, scopeFrom, takeMoment, runAtMoment } from './moment.js';
import { fieldOf } from './fields.js';

/** Listens to channels until the returned function is called. Ignores listener errors. */
export function listenTo(listeners: Readonly<Record<string, (message: unknown) => void>>): () => void {
  const undos = Object.entries(listeners).map(([channel, listener]) => {
    const guarded = (message: unknown): void => {
      try {
        listener(message);
      } catch {
        // an uncaught error in a channel listener would end the process
      }
    };
    subscribe(channel, guarded);
    return () => unsubscribe(channel, guarded);
  });
  return undoAll(undos);
}

/** Notified when a followed operation has ended. */
type Observer = Parameters<typeof followResult>[1];

/**
 * Calls a method that returns a promise or calls back, with the callback in the caller's context; notifies an observer
 * when it ends.
 */
export function followCall(
  args: readonly unknown[],
  call: (args: unknown[]) => unknown,
  { done, failed }: Observer,
): unknown {
  const at = args.findIndex((arg) => typeof arg === 'function');
  const callback = args[at];
  if (typeof callback !== 'function') return followResult(() => call([...args]), { done, failed });
  const inContext = bindCallback(callback);
  const noting = (error: unknown, result: unknown): void => {
    if (error) failed(error);
    else done(result);
    inContext(error, result);
  };
  return followResult(() => call(args.with(at, noting)), { done: () => undefined, failed });
}

export function bindCallback(callback: Function): (...args: unknown[]) => unknown {
  return AsyncResource.bind((...args: unknown[]) => Reflect.apply(callback, undefined, args));
}

/**
 * Called when an operation begins, with its channel's message. The returned function is called with the same message
 * when it has ended.
 */
export type OperationListener = (message: object, moment: Moment) => ((message: object) => void) | undefined;

interface Operation {
  readonly scope: Scope | undefined;
  readonly moment: Moment | undefined;
  readonly ended: ((message: object) => void) | undefined;
}

/**
 * Listens to the operations on a tracing channel. An operation's callbacks run in the scope in which it began, because
 * sockets and pools would call them in another request's scope. `textOf` returns the statement of an operation that has
 * one.
 */
export function listenToOperations(
  name: string,
  listener: OperationListener,
  textOf?: (message: object) => string,
): () => void {
  const open = new WeakMap<object, Operation>();
  const end = (message: object): void => {
    const { moment, ended } = open.get(message) ?? {};
    open.delete(message);
    if (moment !== undefined && ended !== undefined) runAtMoment(moment, () => ended(message));
  };
  const unbind = bindScope(tracingChannel<object>(name).asyncStart, (message) => {
    const { scope, moment } = open.get(message) ?? {};
    return moment === undefined ? scope : scopeFrom(moment.scope, moment.callSite);
  });
  const stopListening = listenTo({
    [`tracing:${name}:start`]: (message) => {
      if (typeof message !== 'object' || message === null) return;
      const moment = takeMoment(textOf && (() => textOf(message)));
      open.set(message, {
        scope: currentScope(),
        moment,
        ended: moment === undefined ? undefined : listener(message, moment),
      });
    },
    [`tracing:${name}:asyncEnd`]: (message) => end(message as object), // the object that the start received
    // An operation that throws synchronously has no `asyncEnd`.
    [`tracing:${name}:end`]: (message) => {
      if (fieldOf(message, 'error') !== undefined) end(message as object); // the object that the start received
    },
  });
  return undoAll([unbind, stopListening]);
}
