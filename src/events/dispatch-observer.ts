import type { ListenerDescription, ListenerOptions } from './dispatcher.js';
import type { EventType } from './event-type.js';

/** Receives the progress of one dispatch, listener by listener. */
export interface DispatchFollower {
  /**
   * Called before a dispatch or a listener runs, with the id that `stage` or `listener` returned for it. Returns a token
   * that is passed to the matching `leave`.
   */
  enter(id: number): number;
  /**
   * Called when the dispatch or the listener has finished. `stopped`: the remaining listeners are skipped; `failed`: it
   * threw or its promise was rejected.
   */
  leave(token: number, outcome?: 'stopped' | 'failed'): void;
  /** Called when a listener of `dispatchToAll` threw: the dispatch continues with the next listener. */
  lateError(thrown: unknown): void;
}

/** Decides which dispatches of a dispatcher are observed, and observes them. */
export interface DispatchObserver {
  /** Returns the id under which dispatches of this event are reported; called once per event type. */
  stage(event: string): number;
  /** Returns the id under which calls of this listener are reported; called once, when the listener is added. */
  listener(event: string, description: ListenerDescription, place?: ListenerOptions['place']): number;
  /** Returns the receiver for the dispatch of this event object, or undefined if the dispatch is not observed. */
  follower(type: EventType<never>, event: unknown): DispatchFollower | undefined;
  /**
   * Called at the end of an observed dispatch. The dispatcher waits for a returned promise unless the dispatch failed.
   */
  ended?(type: EventType<never>, event: unknown, outcome?: 'failed'): void | Promise<void>;
}
