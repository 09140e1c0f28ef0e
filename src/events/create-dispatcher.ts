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

/** An empty dispatcher. With an observer, it sees the dispatches that somebody follows, listener by listener. */
export function createDispatcher(observer?: DispatchObserver): Dispatcher {
  const lists: EventList[] = [];
  const listOf = (type: EventType<never>): EventList =>
    (lists[type.slot] ??= { stage: observer?.stage(type.name) ?? -1, entries: [] });
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
    dispatch(type, event) {
      const { stage, entries } = listOf(type);
      const follower = observer?.follower(type, event);
      const dispatch = { entries, type, event, follower, onError: undefined };
      return observer === undefined || follower === undefined
        ? callFrom(0, dispatch)
        : follow(dispatch, { observer, follower, stage });
    },
    dispatchToAll(type, event, onError) {
      const { stage, entries } = listOf(type);
      const follower = observer?.follower(type, event);
      const dispatch = { entries, type, event, follower, onError };
      return observer === undefined || follower === undefined
        ? callFrom(0, dispatch)
        : follow(dispatch, { observer, follower, stage });
    },
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
      if (pending !== undefined) return continueAfter(pending, { place, next: index + 1 }, dispatch);
    } catch (error) {
      fail(error, place, dispatch);
      continue;
    }
    if (leave(place, dispatch)) return;
  }
}

async function continueAfter<Event>(
  pending: Promise<void>,
  { place, next }: { readonly place: number; readonly next: number },
  dispatch: Dispatch<Event>,
): Promise<void> {
  let isStopped = false;
  try {
    await pending;
    isStopped = leave(place, dispatch);
  } catch (error) {
    fail(error, place, dispatch);
  }
  if (!isStopped) await callFrom(next, dispatch);
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

/** Who observes a dispatch. */
interface Followers {
  readonly observer: DispatchObserver;
  readonly follower: DispatchFollower;
  readonly stage: number;
}

/** Reports the dispatch and each of its listeners. */
function follow<Event>(dispatch: Dispatch<Event>, followers: Followers): void | Promise<void> {
  const { observer, follower, stage } = followers;
  const place = follower.enter(stage);
  try {
    const pending = callFrom(0, dispatch);
    if (pending !== undefined) return followLater(dispatch, followers, { pending, place });
  } catch (error) {
    follower.leave(place, 'failed');
    void observer.ended?.(dispatch.type, dispatch.event, 'failed');
    throw error;
  }
  follower.leave(place);
  return observer.ended?.(dispatch.type, dispatch.event);
}

async function followLater<Event>(
  { type, event }: Dispatch<Event>,
  { observer, follower }: Followers,
  { pending, place }: { readonly pending: Promise<void>; readonly place: number },
): Promise<void> {
  try {
    await pending;
  } catch (error) {
    follower.leave(place, 'failed');
    void observer.ended?.(type, event, 'failed');
    throw error;
  }
  follower.leave(place);
  await observer.ended?.(type, event);
}

function insert(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex((other) => other.priority < entry.priority);
  return at === -1 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}
