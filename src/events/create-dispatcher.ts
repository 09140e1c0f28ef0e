import type { DispatchFollower, DispatchObserver } from './dispatch-observer.js';
import type { Dispatcher, Listener, ListenerDescription } from './dispatcher.js';
import type { EventType } from './event-type.js';

interface Entry extends ListenerDescription {
  readonly listener: Listener<never>;
  /** Its number for the observer. */
  readonly number: number;
}

/** What is known of one event. */
interface EventList {
  /** Its number for the observer. */
  readonly stage: number;
  /** A new array at each change: a dispatch under way goes on with the one it began with. */
  entries: readonly Entry[];
}

/** An empty dispatcher. With an observer, it reports the followed dispatches to it, listener by listener. */
export function createDispatcher(observer?: DispatchObserver): Dispatcher {
  const lists: EventList[] = [];
  const listOf = (type: EventType<never>): EventList =>
    (lists[type.slot] ??= { stage: observer?.stage(type.name) ?? -1, entries: [] });
  function begin<Event>(
    type: EventType<Event>,
    event: Event,
    onError: ((error: unknown) => void) | undefined,
  ): void | Promise<void> {
    const { stage, entries } = listOf(type);
    const follower = observer?.follower(type, event);
    const dispatch = { entries, type, event, follower, onError };
    return observer === undefined || follower === undefined
      ? callFrom(0, dispatch)
      : follow(dispatch, { observer, follower, place: follower.enter(stage) });
  }
  return {
    on(type, listener, options = {}) {
      const name = options.name ?? (listener.name || 'anonymous');
      const priority = options.priority ?? 0;
      const number = observer?.listener(type.name, { name, priority }, options.place) ?? -1;
      const entry: Entry = { name, priority, listener, number };
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

/** A dispatch under way. With `onError` every listener is called, whatever the others throw or stop. */
interface Dispatch<Event> {
  readonly entries: readonly Entry[];
  readonly type: EventType<Event>;
  readonly event: Event;
  readonly follower: DispatchFollower | undefined;
  readonly onError: ((error: unknown) => void) | undefined;
}

/** The one loop over listeners. A promise only where a listener gave one. */
function callFrom<Event>(start: number, dispatch: Dispatch<Event>): void | Promise<void> {
  const { entries, event, follower } = dispatch;
  for (let index = start; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) return;
    const listener = entry.listener as Listener<Event>; // on() put it under this type
    const place = follower?.enter(entry.number) ?? -1;
    try {
      const pending = listener(event);
      if (pending !== undefined) return continueAfter(pending, { place, from: index + 1 }, dispatch);
    } catch (error) {
      fail(error, place, dispatch);
      continue;
    }
    if (leave(place, dispatch)) return;
  }
}

/** Not awaited: with asynchronous hooks each promise costs as much as a listener. A listener may give what is none. */
function continueAfter<Event>(
  pending: Promise<void>,
  { place, from }: { readonly place: number; readonly from: number },
  dispatch: Dispatch<Event>,
): Promise<void> {
  return Promise.resolve(pending).then(
    () => (leave(place, dispatch) ? undefined : callFrom(from, dispatch)),
    (error: unknown) => {
      fail(error, place, dispatch);
      return callFrom(from, dispatch);
    },
  );
}

/** A listener has run. Gives whether no further one is to be called. */
function leave<Event>(place: number, { type, event, follower, onError }: Dispatch<Event>): boolean {
  const isStopped = onError === undefined && type.isStopped?.(event) === true;
  follower?.leave(place, isStopped ? 'stopped' : undefined);
  return isStopped;
}

/** A listener has thrown: throws it on, or hands it to `onError`. */
function fail(
  error: unknown,
  place: number,
  { follower, onError }: Pick<Dispatch<never>, 'follower' | 'onError'>,
): void {
  follower?.leave(place, 'failed');
  if (onError === undefined) throw error;
  onError(error);
  follower?.lateError(error);
}

/** Who observes a dispatch, and the place where it was noted. */
interface Observed {
  readonly observer: DispatchObserver;
  readonly follower: DispatchFollower;
  readonly place: number;
}

/** Reports the dispatch and each of its listeners. */
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
  { observer, follower, place }: Observed,
): void | Promise<void> {
  follower.leave(place);
  return observer.ended?.(type, event);
}

function reportFailure<Event>(
  { type, event }: Dispatch<Event>,
  { observer, follower, place }: Observed,
  error: unknown,
): never {
  follower.leave(place, 'failed');
  void observer.ended?.(type, event, 'failed');
  throw error;
}

function insert(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex((other) => other.priority < entry.priority);
  return at === -1 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}
