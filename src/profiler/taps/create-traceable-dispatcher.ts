import type { Dispatcher, EventType, Listener, ListenerOptions } from '#events';
import type { HttpRequest } from '#http';
import type { Recording } from '../model/recording.js';
import { registerSpan } from '../record/span-registry.js';
import { requestRecording } from './current-recording.js';

/** Events of the kernel carry the request that they are about. */
interface AboutRequest {
  readonly request?: HttpRequest;
}

/**
 * A dispatcher that notes in the request's record which listeners were called, when, and which of them answered or
 * threw; and each dispatch as a stage. Requests without a recording pass by it at the cost of one look.
 */
export function createTraceableDispatcher(inner: Dispatcher): Dispatcher {
  const stages = new Map<EventType<never>, number>();
  const stageOf = (type: EventType<never>): number => {
    let id = stages.get(type);
    if (id === undefined) stages.set(type, (id = registerSpan({ name: type.name, category: 'stage' })));
    return id;
  };
  return {
    on(type, listener, options = {}) {
      const name = options.name ?? (listener.name || 'anonymous');
      return inner.on(type, traced(type, listener, { ...options, name }), { ...options, name });
    },
    dispatch(type, event) {
      const recording = recordingOf(event);
      if (recording === undefined) return inner.dispatch(type, event);
      const place = recording.enter(stageOf(type));
      let pending;
      try {
        pending = inner.dispatch(type, event);
      } catch (error) {
        recording.leave(place, 'failed');
        throw error;
      }
      return leaveStage(pending, recording, place);
    },
    dispatchToAll(type, event, onError) {
      const recording = recordingOf(event);
      if (recording === undefined) return inner.dispatchToAll(type, event, onError);
      const place = recording.enter(stageOf(type));
      return leaveStage(inner.dispatchToAll(type, event, onError), recording, place);
    },
    hears: (type) => inner.hears(type),
    listeners: (type) => inner.listeners(type),
  };
}

function traced<Event>(
  type: EventType<Event>,
  listener: Listener<Event>,
  { name, priority = 0 }: ListenerOptions & { name: string },
): Listener<Event> {
  const id = registerSpan({ name, priority, event: type.name, category: 'listener' });
  return (event) => {
    const recording = recordingOf(event);
    if (recording === undefined) return listener(event);
    const place = recording.enter(id, true);
    let pending;
    try {
      pending = listener(event);
    } catch (error) {
      recording.leave(place, 'failed');
      throw error;
    }
    if (pending !== undefined) return leaveAfter(pending, recording, place, type, event);
    recording.leave(place, type.isStopped?.(event) === true ? 'stopped' : undefined);
  };
}

async function leaveAfter<Event>(
  pending: Promise<void>,
  recording: Recording,
  place: number,
  type: EventType<Event>,
  event: Event,
): Promise<void> {
  try {
    await pending;
  } catch (error) {
    recording.leave(place, 'failed');
    throw error;
  }
  recording.leave(place, type.isStopped?.(event) === true ? 'stopped' : undefined);
}

function leaveStage(
  pending: void | Promise<void>,
  recording: Recording,
  place: number,
): void | Promise<void> {
  if (pending !== undefined) return pending.finally(() => recording.leave(place));
  recording.leave(place, undefined, true);
}

function recordingOf(event: unknown): Recording | undefined {
  const { request } = event as AboutRequest; // events are objects; those of other houses have no request
  return request?.scope.get(requestRecording);
}
