import type { DispatchFollower } from './dispatch-observer.js';
import type { Listener } from './dispatcher.js';
import type { EventType } from './event-type.js';

/** A listener with its number. */
export interface NumberedListener {
  readonly listener: Listener<never>;
  readonly number: number;
}

/** Calls listeners in order, as a dispatch does, and tells the follower of each. */
export function callFollowed<Event>(
  entries: readonly NumberedListener[],
  type: EventType<Event>,
  event: Event,
  follower: DispatchFollower,
  from = 0,
): void | Promise<void> {
  let place = -1;
  try {
    for (let index = from; index < entries.length; index++) {
      const entry = entries[index];
      if (entry === undefined) return;
      const listener = entry.listener as Listener<Event>; // on() put it under this type
      place = follower.enter(entry.number);
      const pending = listener(event);
      if (pending !== undefined) {
        return finishLater(pending, { entries, type, event, follower, place, next: index + 1 });
      }
      const isStopped = type.isStopped?.(event) === true;
      follower.leave(place, isStopped ? 'stopped' : undefined);
      if (isStopped) return;
    }
  } catch (error) {
    follower.leave(place, 'failed');
    throw error;
  }
}

/** Calls every listener, as `dispatchToAll` does, and tells the follower of each. */
export function callAllFollowed<Event>(
  entries: readonly NumberedListener[],
  event: Event,
  onError: (error: unknown) => void,
  follower: DispatchFollower,
): void | Promise<void> {
  let pending: Promise<void> | undefined;
  for (const entry of entries) {
    const call = (): void | Promise<void> => callOne(entry, event, onError, follower);
    if (pending === undefined) pending = call() ?? undefined;
    else pending = pending.then(call);
  }
  return pending;
}

interface Unfinished<Event> {
  readonly entries: readonly NumberedListener[];
  readonly type: EventType<Event>;
  readonly event: Event;
  readonly follower: DispatchFollower;
  readonly place: number;
  readonly next: number;
}

async function finishLater<Event>(pending: Promise<void>, unfinished: Unfinished<Event>): Promise<void> {
  const { entries, type, event, follower, place, next } = unfinished;
  try {
    await pending;
  } catch (error) {
    follower.leave(place, 'failed');
    throw error;
  }
  const isStopped = type.isStopped?.(event) === true;
  follower.leave(place, isStopped ? 'stopped' : undefined);
  if (!isStopped) await callFollowed(entries, type, event, follower, next);
}

function callOne<Event>(
  { listener, number }: NumberedListener,
  event: Event,
  onError: (error: unknown) => void,
  follower: DispatchFollower,
): void | Promise<void> {
  const place = follower.enter(number);
  const fail = (error: unknown): void => {
    follower.leave(place, 'failed');
    onError(error);
  };
  try {
    const pending = (listener as Listener<Event>)(event); // on() put it under this type
    if (pending !== undefined) return pending.then(() => follower.leave(place), fail);
    follower.leave(place);
  } catch (error) {
    fail(error);
  }
}
