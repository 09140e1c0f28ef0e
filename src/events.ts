/** Typed events with prioritised listeners in a stable order; a dispatch stays synchronous while every listener is. */
export { defineEvent, isOwnEventType, createDispatcher } from './events/create-dispatcher.js';
export type { EventType, DispatchFollower, DispatchObserver } from './events/create-dispatcher.js';
export type { Dispatcher, Listener, ListenerDescription } from './events/create-dispatcher.js';
export type { ListenerOptions, ListenerPlace } from './events/create-dispatcher.js';
