import { callable, checkOptions, type OptionsSchema, optionsSchema } from '#core/options';

/** Handles an event. If it returns a promise, the dispatch awaits it before it calls the next listener. */
export type Listener<Event> = (event: Event) => void | Promise<void>;

export interface ListenerOptions {
  /** Listeners with a higher priority are called first; equal priorities, in the order they were added. Default 0. */
  readonly priority?: number;
  /** Name of the listener in records and lists. Default: the function's name. */
  readonly name?: string;
  /** Returns the source position where the listener was added, for records. Default: the caller of `on`. */
  readonly location?: () => ListenerLocation | undefined;
}

/** A position in compiled code; line and column count from 1. */
export interface ListenerLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A registered listener's name and priority. */
export interface ListenerDescription {
  readonly name: string;
  readonly priority: number;
}

/** A listener with its event, and where it was added. */
export interface RegisteredListener extends ListenerDescription {
  readonly event: string;
  readonly location: ListenerLocation | undefined;
}

/** Registers listeners and dispatches events to them. */
export interface Dispatcher {
  /** Adds a listener. The returned function removes it. */
  on<Event>(type: EventType<Event>, listener: Listener<Event>, options?: ListenerOptions): () => void;
  /**
   * Calls the listeners until one throws or the event is stopped; synchronous (undefined, or a throw) if all of them
   * are. With `onError`, the remaining listeners are called even after one throws, unless the event is stopped.
   */
  dispatch<Event>(
    type: EventType<Event>,
    event: Event,
    onError?: (error: unknown, listener: ListenerDescription) => void,
  ): void | Promise<void>;
  /**
   * Calls every listener even if others throw, and passes their errors to `onError`: for stages that every listener
   * must see.
   */
  dispatchToAll<Event>(
    type: EventType<Event>,
    event: Event,
    onError: (error: unknown, listener: ListenerDescription) => void,
  ): void | Promise<void>;
  hasListeners(type: EventType<never>): boolean;
  /** Lists an event's listeners in the order they are called. */
  listeners(type: EventType<never>): readonly ListenerDescription[];
  /**
   * Lists the listeners of all events, each in calling order, with their source locations if the observer knows them.
   */
  allListeners(): readonly RegisteredListener[];
  /**
   * The observer's ids for the listeners, by event in calling order; the same list until a listener is added or
   * removed.
   */
  readonly listenerIds: readonly number[];
}

/** Receives one dispatch's progress, listener by listener. */
export interface DispatchFollower {
  /** Called with its id before a dispatch or a listener runs; returns a token for the matching `leave`. */
  enter(id: number): number;
  /** `stopped`: the remaining listeners are skipped; `failed`: it threw or its promise was rejected. */
  leave(token: number, outcome?: 'stopped' | 'failed'): void;
  /** Called when a listener threw and the dispatch continues with the next one. */
  lateError(thrown: unknown): void;
}

/** Decides which of a dispatcher's dispatches are observed, and observes them. */
export interface DispatchObserver {
  /** Returns the id under which dispatches of this event are reported; called once per event type. */
  stage(event: string): number;
  /** Returns the id under which calls of this listener are reported; called once, when the listener is added. */
  listener(event: string, description: ListenerDescription, location?: ListenerOptions['location']): number;
  /** Returns where a listener was added, by its id. */
  locationOf?(id: number): ListenerLocation | undefined;
  /** Returns the follower for this event object's dispatch, or undefined if the dispatch is not observed. */
  follower(type: EventType<never>, event: unknown): DispatchFollower | undefined;
  /** Called at the end of an observed dispatch, after a returned promise has settled unless it failed. */
  ended?(type: EventType<never>, event: unknown, outcome?: 'failed'): void | Promise<void>;
}

/** Identifies one kind of event and carries the type of its event objects. */
export interface EventType<Event> {
  readonly name: string;
  /** Index of the event's listeners in every dispatcher; unique within this copy of the code. */
  readonly slot: number;
  /** Returns true once the remaining listeners are to be skipped, e.g. because a response was set. */
  readonly isStopped?: (event: Event) => boolean;
  /** Called after each listener that returned, before `isStopped`. */
  readonly passed?: (event: Event, listener: ListenerDescription) => void;
}

/** How an event's listeners are called. */
type EventOptions<Event> = Pick<EventType<Event>, 'isStopped' | 'passed'>;

export const eventSchema: OptionsSchema<EventOptions<never>> = optionsSchema<EventOptions<never>>({
  isStopped: callable(),
  passed: callable(),
});

let slots = 0; // number of events declared so far
const declared = new WeakSet<EventType<never>>();

/** Declares an event. Call it once, at module level: events are identified by the returned object, not by the name. */
export function defineEvent<Event>(name: string, options: EventOptions<Event> = {}): EventType<Event> {
  checkOptions(`The event ${name}`, options, eventSchema);
  const type: EventType<Event> = { name, slot: slots++, ...options };
  declared.add(type);
  return type;
}

/** Returns whether this copy of the package declared the event: another copy counts its slots separately. */
export function isOwnEventType(type: EventType<never>): boolean {
  return declared.has(type);
}

interface Entry extends ListenerDescription {
  readonly listener: Listener<never>;
  /** Listener id given by the observer; -1 without one. */
  readonly observerId: number;
}

interface EventList {
  readonly event: string;
  /** Event id given by the observer; -1 without one. */
  readonly observerId: number;
  /** Replaced on every change, so that a dispatch in progress keeps iterating over the array it started with. */
  entries: readonly Entry[];
}

/** Creates a dispatcher; an observer is notified of each dispatch and each listener call that it follows. */
export function createDispatcher(observer?: DispatchObserver): Dispatcher {
  const lists: EventList[] = [];
  let ids: readonly number[] | undefined; // ids of all listeners; undefined after a change
  const listOf = (type: EventType<never>): EventList =>
    (lists[type.slot] ??= { event: type.name, observerId: observer?.stage(type.name) ?? -1, entries: [] });
  function begin<Event>(type: EventType<Event>, event: Event, handling: ErrorHandling): void | Promise<void> {
    const { observerId, entries } = listOf(type);
    const follower = observer?.follower(type, event);
    if (observer === undefined || follower === undefined)
      return callFrom(0, { entries, type, event, follower, handling });
    return follow({ entries, type, event, follower, handling }, follower.enter(observerId), observer);
  }
  return {
    on(type, listener, options = {}) {
      const name = options.name ?? (listener.name || 'anonymous');
      const priority = options.priority ?? 0;
      const observerId = observer?.listener(type.name, { name, priority }, options.location) ?? -1;
      const entry: Entry = { name, priority, listener, observerId };
      const list = listOf(type);
      list.entries = insert(list.entries, entry);
      ids = undefined;
      return () => {
        list.entries = list.entries.filter((other) => other !== entry);
        ids = undefined;
      };
    },
    dispatch: (type, event, onError) =>
      begin(type, event, onError === undefined ? throwing : { onError, callsAll: false }),
    dispatchToAll: (type, event, onError) => begin(type, event, { onError, callsAll: true }),
    hasListeners: (type) => (lists[type.slot]?.entries.length ?? 0) > 0,
    allListeners: () =>
      lists.flatMap(({ event, entries }) =>
        entries.map(({ name, priority, observerId }) => ({
          event,
          name,
          priority,
          location: observer?.locationOf?.(observerId),
        })),
      ),
    get listenerIds() {
      return (ids ??= lists.flatMap(({ entries }) => entries.map(({ observerId }) => observerId)));
    },
    listeners: (type) => (lists[type.slot]?.entries ?? []).map(({ name, priority }) => ({ name, priority })),
  };
}

/** Without `onError`, the first error ends the dispatch; with `callsAll`, every listener is called, even if one stops the event. */
interface ErrorHandling {
  readonly onError: ((error: unknown, listener: ListenerDescription) => void) | undefined;
  readonly callsAll: boolean;
}

const throwing: ErrorHandling = { onError: undefined, callsAll: false };

/** A dispatch in progress. */
interface Dispatch<Event> {
  readonly entries: readonly Entry[];
  readonly type: EventType<Event>;
  readonly event: Event;
  readonly follower: DispatchFollower | undefined;
  readonly handling: ErrorHandling;
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
      if (pending !== undefined) return continueAfter(pending, { token, entry, from: index + 1 }, dispatch);
    } catch (error) {
      fail(error, { token, entry }, dispatch);
      continue;
    }
    if (leave(token, entry, dispatch)) return;
  }
}

/**
 * Continues with the listener at `from` when `pending` settles. Uses `then` instead of `await`: while asynchronous hooks are
 * active, every additional promise costs as much as a listener. `Promise.resolve` covers listeners that return a thenable
 * or another value.
 */
function continueAfter<Event>(
  pending: Promise<void>,
  call: ListenerCall & { readonly from: number },
  dispatch: Dispatch<Event>,
): Promise<void> {
  return Promise.resolve(pending).then(
    () => (leave(call.token, call.entry, dispatch) ? undefined : callFrom(call.from, dispatch)),
    (error: unknown) => {
      fail(error, call, dispatch);
      return callFrom(call.from, dispatch);
    },
  );
}

/** Reports that a listener has returned; returns whether the event is stopped. */
function leave<Event>(
  token: number,
  entry: Entry,
  { type, event, follower, handling }: Dispatch<Event>,
): boolean {
  type.passed?.(event, entry);
  const isStopped = !handling.callsAll && type.isStopped?.(event) === true;
  follower?.leave(token, isStopped ? 'stopped' : undefined);
  return isStopped;
}

interface ListenerCall {
  readonly token: number;
  readonly entry: Entry;
}

/** Handles a listener's error: rethrows it, or passes it to `onError` if the dispatch has one. */
function fail(
  error: unknown,
  { token, entry }: ListenerCall,
  { follower, handling }: Pick<Dispatch<never>, 'follower' | 'handling'>,
): void {
  follower?.leave(token, 'failed');
  if (handling.onError === undefined) throw error;
  handling.onError(error, entry);
  follower?.lateError(error);
}

type FollowedDispatch<Event> = Dispatch<Event> & { readonly follower: DispatchFollower };

/** Runs a dispatch that `follower` has entered with this token, and reports its end. */
function follow<Event>(
  dispatch: FollowedDispatch<Event>,
  token: number,
  observer: DispatchObserver,
): void | Promise<void> {
  let pending: void | Promise<void>;
  try {
    pending = callFrom(0, dispatch);
  } catch (error) {
    return failFollowed(error, dispatch, { token, observer });
  }
  return pending === undefined
    ? endFollowed(dispatch, token, observer)
    : endLater(pending, dispatch, { token, observer });
}

/** A separate function, because closures would cost each dispatch an object. */
function endLater<Event>(
  pending: Promise<void>,
  dispatch: FollowedDispatch<Event>,
  { token, observer }: { readonly token: number; readonly observer: DispatchObserver },
): Promise<void> {
  return pending.then(
    () => endFollowed(dispatch, token, observer),
    (error: unknown) => failFollowed(error, dispatch, { token, observer }),
  );
}

function endFollowed<Event>(
  { type, event, follower }: FollowedDispatch<Event>,
  token: number,
  observer: DispatchObserver,
): void | Promise<void> {
  follower.leave(token);
  return observer.ended?.(type, event);
}

function failFollowed<Event>(
  error: unknown,
  { type, event, follower }: FollowedDispatch<Event>,
  { token, observer }: { readonly token: number; readonly observer: DispatchObserver },
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
