import { callAllFollowed, callFollowed, type NumberedListener } from './call-followed.js';
import type { DispatchFollower, DispatchObserver } from './dispatch-observer.js';
import type { Dispatcher, Listener, ListenerDescription } from './dispatcher.js';
import type { EventType } from './event-type.js';

interface Entry extends ListenerDescription, NumberedListener {}

/** What is known of one event. */
interface EventList {
  /** Its number for the observer. */
  readonly stage: number;
  /** A new array at each change: a dispatch under way goes on with the one it began with. */
  entries: readonly Entry[];
}

/** An empty dispatcher. With an observer, dispatches that somebody follows are told to it listener by listener. */
export function createDispatcher(observer?: DispatchObserver): Dispatcher {
  const lists: EventList[] = [];
  const listOf = (type: EventType<never>): EventList =>
    (lists[type.slot] ??= { stage: observer?.stage(type.name) ?? -1, entries: [] });
  return {
    on(type, listener, options = {}) {
      const name = options.name ?? (listener.name || 'anonymous');
      const priority = options.priority ?? 0;
      const number = observer?.listener(type.name, { name, priority }) ?? -1;
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
      if (follower === undefined) return callFrom(0, entries, type, event);
      const place = follower.enter(stage);
      try {
        return leaveStage(callFollowed(entries, type, event, follower), follower, place);
      } catch (error) {
        follower.leave(place, 'failed');
        throw error;
      }
    },
    dispatchToAll(type, event, onError) {
      const { stage, entries } = listOf(type);
      const follower = observer?.follower(type, event);
      if (follower === undefined) return callAll(entries, event, onError);
      const place = follower.enter(stage);
      return leaveStage(callAllFollowed(entries, event, onError, follower), follower, place);
    },
    hears: (type) => (lists[type.slot]?.entries.length ?? 0) > 0,
    listeners: (type) => (lists[type.slot]?.entries ?? []).map(({ name, priority }) => ({ name, priority })),
  };
}

function leaveStage(
  pending: void | Promise<void>,
  follower: DispatchFollower,
  place: number,
): void | Promise<void> {
  if (pending === undefined) follower.leave(place);
  else return leaveStageLater(pending, follower, place);
}

async function leaveStageLater(
  pending: Promise<void>,
  follower: DispatchFollower,
  place: number,
): Promise<void> {
  try {
    await pending;
  } catch (error) {
    follower.leave(place, 'failed');
    throw error;
  }
  follower.leave(place);
}

function callFrom<Event>(
  start: number,
  entries: readonly Entry[],
  type: EventType<Event>,
  event: Event,
): void | Promise<void> {
  for (let index = start; index < entries.length; index++) {
    const listener = entries[index]?.listener as Listener<Event>; // on() put it under this type
    const pending = listener(event);
    if (pending !== undefined) return continueAfter(pending, index + 1, entries, type, event);
    if (type.isStopped?.(event) === true) return;
  }
}

function callAll<Event>(
  entries: readonly Entry[],
  event: Event,
  onError: (error: unknown) => void,
): void | Promise<void> {
  let pending: Promise<void> | undefined;
  for (const { listener } of entries) {
    const call = (): void | Promise<void> => callSafely(listener as Listener<Event>, event, onError); // on() put it under this type
    if (pending === undefined) pending = call() ?? undefined;
    else pending = pending.then(call);
  }
  return pending;
}

function callSafely<Event>(
  listener: Listener<Event>,
  event: Event,
  onError: (error: unknown) => void,
): void | Promise<void> {
  try {
    return listener(event)?.catch(onError);
  } catch (error) {
    onError(error);
  }
}

async function continueAfter<Event>(
  pending: Promise<void>,
  next: number,
  entries: readonly Entry[],
  type: EventType<Event>,
  event: Event,
): Promise<void> {
  await pending;
  if (type.isStopped?.(event) !== true) await callFrom(next, entries, type, event);
}

function insert(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex((other) => other.priority < entry.priority);
  return at === -1 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}
