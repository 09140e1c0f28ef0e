import type { Dispatcher, EventType, Listener } from '#events';

/** A listener as it was added. */
export interface TracedListener {
  readonly event: string;
  readonly name: string;
  readonly priority: number;
}

/**
 * Hears when stages and listeners run. All but `register` is called on the request's path: it must be cheap and must
 * not throw. The number that a `begin` returns is handed back at the end.
 */
export interface DispatchTrace {
  /** A listener was added; the number names it from now on. */
  register(listener: TracedListener): number;
  beginListener(listener: number, event: unknown): number;
  endListener(place: number, event: unknown, outcome: ListenerOutcome): void;
  beginStage(type: EventType<never>, event: unknown): number;
  endStage(place: number, event: unknown, type: EventType<never>): void;
}

/** What a listener did: nothing special, end the event, or throw. */
export type ListenerOutcome = undefined | 'stopped' | 'failed';

/**
 * A dispatcher whose dispatches and listeners are timed: each listener is wrapped once, when it is added, so that the
 * dispatcher inside and the listeners themselves know nothing of it. Not placed where nothing records.
 */
export function createTraceableDispatcher(inner: Dispatcher, trace: DispatchTrace): Dispatcher {
  return {
    on(type, listener, options = {}) {
      const name = options.name ?? (listener.name || 'anonymous');
      const priority = options.priority ?? 0;
      const id = trace.register({ event: type.name, name, priority });
      return inner.on(type, traceListener(listener, id, { type, trace }), { name, priority });
    },
    dispatch: (type, event) => {
      const place = trace.beginStage(type, event);
      return whenOver(
        () => inner.dispatch(type, event),
        () => trace.endStage(place, event, type),
      );
    },
    dispatchToAll: (type, event, onError) => {
      const place = trace.beginStage(type, event);
      return whenOver(
        () => inner.dispatchToAll(type, event, onError),
        () => trace.endStage(place, event, type),
      );
    },
    listeners: (type) => inner.listeners(type),
  };
}

function traceListener<Event>(
  listener: Listener<Event>,
  id: number,
  { type, trace }: { type: EventType<Event>; trace: DispatchTrace },
): Listener<Event> {
  return (event) => {
    const place = trace.beginListener(id, event);
    return whenOver(
      () => listener(event),
      (failed) =>
        trace.endListener(place, event, failed ? 'failed' : type.isStopped?.(event) ? 'stopped' : undefined),
    );
  };
}

/** Runs `work` and tells when it is over, at once or later, and whether it threw. */
function whenOver(work: () => void | Promise<void>, over: (failed: boolean) => void): void | Promise<void> {
  let pending: void | Promise<void>;
  try {
    pending = work();
  } catch (error) {
    over(true);
    throw error;
  }
  if (pending === undefined) {
    over(false);
    return undefined;
  }
  return pending.then(
    () => over(false),
    (error: unknown) => {
      over(true);
      throw error;
    },
  );
}
