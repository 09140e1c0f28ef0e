import type { Dispatcher, Listener, ListenerDescription } from './dispatcher.js';
import type { EventType } from './event-type.js';

interface Entry extends ListenerDescription {
  readonly listener: Listener<never>;
}

/** An empty dispatcher. */
export function createDispatcher(): Dispatcher {
  const lists = new Map<EventType<never>, readonly Entry[]>();
  return {
    on(type, listener, options = {}) {
      const entry: Entry = {
        listener,
        priority: options.priority ?? 0,
        name: options.name ?? (listener.name || 'anonymous'),
      };
      // A new list at each change: a dispatch under way goes on with the list it began with.
      lists.set(type, insert(lists.get(type) ?? [], entry));
      return () => {
        lists.set(
          type,
          (lists.get(type) ?? []).filter((other) => other !== entry),
        );
      };
    },
    dispatch(type, event) {
      const entries = lists.get(type);
      if (entries !== undefined) return callFrom(0, entries, type, event);
    },
    dispatchToAll(type, event, onError) {
      let pending: Promise<void> | undefined;
      for (const { listener } of lists.get(type) ?? []) {
        const call = (): void | Promise<void> =>
          callSafely(listener as Listener<typeof event>, event, onError); // on() put it under this type
        if (pending === undefined) pending = call() ?? undefined;
        else pending = pending.then(call);
      }
      return pending;
    },
    hears: (type) => (lists.get(type)?.length ?? 0) > 0,
    listeners(type) {
      return (lists.get(type) ?? []).map(({ name, priority }) => ({ name, priority }));
    },
  };
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
