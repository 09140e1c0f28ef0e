import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { undoAll } from '#patches';
import { bindScope, currentScope, type Scope } from '#scope';
import { type Moment, scopeFrom, takeMoment, runAtMoment } from './moment.js';
import { fieldOf } from './fields.js';

/** Listens on channels until the function that is given back is called. What a listener throws is its own loss. */
export function listenTo(listeners: Readonly<Record<string, (message: unknown) => void>>): () => void {
  const undos = Object.entries(listeners).map(([channel, listener]) => {
    const guarded = (message: unknown): void => {
      try {
        listener(message);
      } catch {
        // Thrown here it would end the process.
      }
    };
    subscribe(channel, guarded);
    return () => unsubscribe(channel, guarded);
  });
  return undoAll(undos);
}

/** Called with an operation that is over: the message of its channel, and when it began. */
export type OperationListener = (message: object, moment: Moment) => void;

/**
 * Listens to each operation of a tracing channel at its end, with the moment at which it began. A callback is called in the scope
 * that the operation began in: sockets and pools would call it in that of another request.
 */
export function listenToOperations(name: string, listener: OperationListener): () => void {
  const begun = new WeakMap<object, { readonly scope: Scope | undefined; moment: Moment | undefined }>();
  const end = (message: object): void => {
    const { moment } = begun.get(message) ?? {};
    begun.delete(message);
    if (moment !== undefined) runAtMoment(moment, () => listener(message, moment));
  };
  const unbind = bindScope(tracingChannel<object>(name).asyncStart, (message) => {
    const { scope, moment } = begun.get(message) ?? {};
    return moment === undefined ? scope : scopeFrom(moment.scope, moment.callSite);
  });
  const stopListening = listenTo({
    [`tracing:${name}:start`]: (message) => {
      if (typeof message === 'object' && message !== null)
        begun.set(message, { scope: currentScope(), moment: takeMoment() });
    },
    [`tracing:${name}:asyncEnd`]: (message) => end(message as object), // what was set at the start
    // What throws at once has no asynchronous end.
    [`tracing:${name}:end`]: (message) => {
      if (fieldOf(message, 'error') !== undefined) end(message as object); // what was set at the start
    },
  });
  return undoAll([unbind, stopListening]);
}
