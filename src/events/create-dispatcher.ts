import type { DispatchFollower, DispatchObserver } from './dispatch-observer.js';
import type { Dispatcher, Listener, ListenerDescription } from './dispatcher.js';
import type { EventType } from './event-type.js';

interface Entry extends ListenerDescription {
  readonly listener: Listener<never>;
  /** Listener id given by the observer; -1 without one. */
  readonly observerId: number;
}

/** The listeners of one event type. */
interface EventList {
  /** Event id given by the observer; -1 without one. */
  readonly observerId: number;
  /** Replaced on every change, so that a dispatch in progress keeps iterating over the array it started with. */
  entries: readonly Entry[];
}

/**
 * Creates a dispatcher without listeners. If an observer is given, it is notified of each dispatch and each listener call
 * that it follows.
 */
export function createDispatcher(observer?: DispatchObserver): Dispatcher {
  const lists: EventList[] = [];
  const listOf = (type: EventType<never>): EventList =>
    (lists[type.slot] ??= { observerId: observer?.stage(type.name) ?? -1, entries: [] });
  function begin<Event>(
    type: EventType<Event>,
    event: Event,
    onError: ((error: unknown) => void) | undefined,
  ): void | Promise<void> {
    const { observerId, entries } = listOf(type);
    const follower = observer?.follower(type, event);
    const dispatch = { entries, type, event, follower, onError };
    return observer === undefined || follower === undefined
      ? callFrom(0, dispatch)
      : follow(dispatch, { observer, follower, token: follower.enter(observerId) });
  }
  return {
    on(type, listener, options = {}) {
      const name = options.name ?? (listener.name || 'anonymous');
      const priority = options.priority ?? 0;
      const observerId = observer?.listener(type.name, { name, priority }, options.place) ?? -1;
      const entry: Entry = { name, priority, listener, observerId };
      const list = listOf(type);
      list.entries = insert(list.entries, entry);
      return () => {
        list.entries = list.entries.filter((other) => other !== entry);
      };
    },
    dispatch: (type, event) => begin(type, event, undefined),
    dispatchToAll: begin,
    hasListeners: (type) => (lists[type.slot]?.entries.length ?? 0) > 0,
    listeners: (type) => (lists[type.slot]?.entries ?? []).map(({ name, priority }) => ({ name, priority })),
  };
}

/** A dispatch in progress. If `onError` is set, every listener is called, even after one throws or stops the event. */
interface Dispatch<Event> {
  readonly entries: readonly Entry[];
  readonly type: EventType<Event>;
  readonly event: Event;
  readonly follower: DispatchFollower | undefined;
  readonly onError: ((error: unknown) => void) | undefined;
}

/** Calls the listeners from index `start` on. Returns a promise only if a listener returned one. */
function callFrom<Event>(start: number, dispatch: Dispatch<Event>): void | Promise<void> {
  const { entries, event, follower } = dispatch;
  for (let index = start; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) return;
    const listener = entry.listener as Listener<Event>; // on() stored it under the slot of this event type
    const token = follower?.enter(entry.observerId) ?? -1;
    try {
      const pending = listener(event);
      if (pending !== undefined) return continueAfter(pending, { token, from: index + 1 }, dispatch);
    } catch (error) {
      fail(error, token, dispatch);
      continue;
    }
    if (leave(token, dispatch)) return;
  }
}

/**
 * Continues with the listener at `from` when `pending` settles. Uses `then` instead of `await`: while asynchronous hooks are
 * active, every additional promise costs as much as a listener. `Promise.resolve` covers listeners that return a thenable
 * or another value.
 */
function continueAfter<Event>(
  pending: Promise<void>,
  { token, from }: { readonly token: number; readonly from: number },
  dispatch: Dispatch<Event>,
): Promise<void> {
  return Promise.resolve(pending).then(
    () => (leave(token, dispatch) ? undefined : callFrom(from, dispatch)),
    (error: unknown) => {
      fail(error, token, dispatch);
      return callFrom(from, dispatch);
    },
  );
}

/**
 * Reports that a listener has returned. Returns whether the event is stopped, so that the remaining listeners are
 * skipped.
 */
function leave<Event>(token: number, { type, event, follower, onError }: Dispatch<Event>): boolean {
  const isStopped = onError === undefined && type.isStopped?.(event) === true;
  follower?.leave(token, isStopped ? 'stopped' : undefined);
  return isStopped;
}

/** Handles the error of a listener: rethrows it, or passes it to `onError` if the dispatch has one. */
function fail(
  error: unknown,
  token: number,
  { follower, onError }: Pick<Dispatch<never>, 'follower' | 'onError'>,
): void {
  follower?.leave(token, 'failed');
  if (onError === undefined) throw error;
  onError(error);
  follower?.lateError(error);
}

/** The observer of a dispatch and the token that it returned for the dispatch as a whole. */
interface Observed {
  readonly observer: DispatchObserver;
  readonly follower: DispatchFollower;
  readonly token: number;
}

/** Runs a dispatch and reports its end to the observer. */
function follow<Event>(dispatch: Dispatch<Event>, observed: Observed): void | Promise<void> {
  let pending: void | Promise<void>;
  try {
    pending = callFrom(0, dispatch);
  } catch (error) {
    return reportFailure(dispatch, observed, error);
  }
  return pending === undefined
    ? reportEnd(dispatch, observed)
    : pending.then(
        () => reportEnd(dispatch, observed),
        (error: unknown) => reportFailure(dispatch, observed, error),
      );
}

function reportEnd<Event>(
  { type, event }: Dispatch<Event>,
  { observer, follower, token }: Observed,
): void | Promise<void> {
  follower.leave(token);
  return observer.ended?.(type, event);
}

function reportFailure<Event>(
  { type, event }: Dispatch<Event>,
  { observer, follower, token }: Observed,
  error: unknown,
): never {
  follower.leave(token, 'failed');
  void observer.ended?.(type, event, 'failed');
  throw error;
}

/** Inserts before the first entry with a lower priority; entries of equal priority keep the order they were added in. */
function insert(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex((other) => other.priority < entry.priority);
  return at === -1 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}
