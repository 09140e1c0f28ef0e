import type { EventType } from './event-type.js';

/** Handles an event. If it returns a promise, the dispatch waits for it before it calls the next listener. */
export type Listener<Event> = (event: Event) => void | Promise<void>;

export interface ListenerOptions {
  /** Listeners with a higher priority are called first; equal priorities, in the order they were added. Default 0. */
  readonly priority?: number;
  /** Name of the listener in records and lists. Default: the name of the function. */
  readonly name?: string;
  /** Returns the source position where the listener was added, for records. Default: the caller of `on`. */
  readonly place?: () => ListenerPlace | undefined;
}

/** A position in compiled code; line and column count from 1. */
export interface ListenerPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Name and priority of a registered listener. */
export interface ListenerDescription {
  readonly name: string;
  readonly priority: number;
}

/** Registers listeners and dispatches events to them. */
export interface Dispatcher {
  /** Adds a listener. The returned function removes it. */
  on<Event>(type: EventType<Event>, listener: Listener<Event>, options?: ListenerOptions): () => void;
  /**
   * Calls the listeners in order until one throws or the event is stopped. Returns undefined, or throws the error of a
   * listener, if every listener was synchronous; otherwise returns a promise.
   */
  dispatch<Event>(type: EventType<Event>, event: Event): void | Promise<void>;
  /**
   * Calls every listener even if others throw; errors are passed to `onError`. Used for stages that every listener must
   * see (the last pass over a response, terminate).
   */
  dispatchToAll<Event>(
    type: EventType<Event>,
    event: Event,
    onError: (error: unknown) => void,
  ): void | Promise<void>;
  hasListeners(type: EventType<never>): boolean;
  /** Lists the listeners of an event in the order they are called. */
  listeners(type: EventType<never>): readonly ListenerDescription[];
}
