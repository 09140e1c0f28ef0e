import type { ListenerDescription, ListenerOptions } from './dispatcher.js';
import type { EventType } from './event-type.js';

/** Follows one dispatch, listener by listener. */
export interface DispatchFollower {
  /** A dispatch or a listener, by its number, is about to run; gives what `leave` is to be called with. */
  enter(number: number): number;
  /** It has run. `stopped`: no further listener is called; `failed`: it threw, or its promise was rejected. */
  leave(place: number, outcome?: 'stopped' | 'failed'): void;
  /** A listener threw where every listener is called: the dispatch goes on. */
  lateError(thrown: unknown): void;
}

/** Who may follow the dispatches of a dispatcher. */
export interface DispatchObserver {
  /** The number of an event's dispatches; asked once for an event. */
  stage(event: string): number;
  /** The number of a listener; asked once, when it is added. */
  listener(event: string, description: ListenerDescription, place?: ListenerOptions['place']): number;
  /** The observer of the dispatch of this event object; undefined if there is none. */
  follower(type: EventType<never>, event: unknown): DispatchFollower | undefined;
  /** A dispatch that was followed is over. What is given is waited for, unless it failed. */
  ended?(type: EventType<never>, event: unknown, outcome?: 'failed'): void | Promise<void>;
}
