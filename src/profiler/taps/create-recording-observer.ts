import type { DispatchObserver, EventType } from '#events';
import type { HttpRequest } from '#http';
import { registerSpan } from '../form/span-registry.js';
import { requestRecording } from './current-recording.js';

/** The request that an event is about; undefined for events that are about none. */
export type RequestOfEvent = (type: EventType<never>, event: unknown) => HttpRequest | undefined;

/**
 * For a dispatcher: notes in the request's record each dispatch as a stage, and which listeners were called, when, and
 * which of them answered or threw. Requests without a recording pass by it at the cost of one look.
 */
export function createRecordingObserver(requestOf: RequestOfEvent = requestIn): DispatchObserver {
  return {
    stage: (event) => registerSpan({ name: event, category: 'stage' }),
    listener: (event, { name, priority }) => registerSpan({ name, priority, event, category: 'listener' }),
    follower: (type, event) => requestOf(type, event)?.scope.get(requestRecording),
  };
}

function requestIn(_type: EventType<never>, event: unknown): HttpRequest | undefined {
  return (event as { readonly request?: HttpRequest }).request; // events are objects; those of other houses have no request
}
