import type { EventType } from './event-type.js';

/** A listener of an event. If it returns a promise, the rest of the dispatch waits for it. */
export type Listener<Event> = (event: Event) => void | Promise<void>;

export interface ListenerOptions {
  /** Higher is called first; equal ones in the order they were added. Default 0. */
  readonly priority?: number;
  /** How the listener is called in records and lists; default the function's own name. */
  readonly name?: string;
  /** Where it was added, for records; default: the caller of `on`. */
  readonly place?: () => ListenerPlace | undefined;
}

/** A place of compiled code, counted from 1. */
export interface ListenerPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A listener as it is listed: in the order of its priority, higher ones first. */
export interface ListenerDescription {
  readonly name: string;
  readonly priority: number;
}

/** Port of the event dispatcher. */
export interface Dispatcher {
  /** Adds a listener; the returned function removes it again. */
  on<Event>(type: EventType<Event>, listener: Listener<Event>, options?: ListenerOptions): () => void;
  /**
   * Calls the listeners in order until one throws or the event is stopped. Returns undefined when all of them were
   * synchronous (a throw is then thrown here), else a promise.
   */
  dispatch<Event>(type: EventType<Event>, event: Event): void | Promise<void>;
  /**
   * Calls every listener whatever the others throw; what is thrown goes to `onError`. For stages that must reach
   * everyone (the last pass over a response, terminate).
   */
  dispatchToAll<Event>(
    type: EventType<Event>,
    event: Event,
    onError: (error: unknown) => void,
  ): void | Promise<void>;
  /** Whether an event has any listener. */
  hasListeners(type: EventType<never>): boolean;
  /** The listeners of an event in the order they are called. */
  listeners(type: EventType<never>): readonly ListenerDescription[];
}
