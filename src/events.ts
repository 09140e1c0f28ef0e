/** Typed events with prioritised listeners in a stable order; a dispatch stays synchronous while every listener is. */
export { defineEvent, isOwnEventType, type EventType } from './events/event-type.js';
export { createDispatcher } from './events/create-dispatcher.js';
export type { DispatchFollower, DispatchObserver } from './events/dispatch-observer.js';
export type {
  Dispatcher,
  Listener,
  ListenerDescription,
  ListenerOptions,
  ListenerPlace,
} from './events/dispatcher.js';
