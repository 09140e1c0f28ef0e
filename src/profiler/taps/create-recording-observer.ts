import { noteCallSites } from '#errors';
import type { DispatchObserver, EventType, ListenerPlace } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import { registerSpan } from '../form/span-registry.js';
import { HeaderFollower } from './header-follower.js';
import { requestRecording } from './current-recording.js';

/** The event whose listeners change a response's headers; undefined where they are not watched. */
export type WatchedHeaders = (
  type: EventType<never>,
  event: unknown,
) => { readonly response: HttpResponse } | undefined;

/** The call of `on` itself, of the application's code: two frames of ours are between. */
function addedFrom(): () => ListenerPlace | undefined {
  const sites = noteCallSites(addedFrom, { depth: 4, limit: 1 });
  return () => sites()[0];
}

/**
 * For a dispatcher: notes in the request's record each dispatch as a stage, and which listeners were called, when, and
 * which of them answered or threw. Requests without a recording pass by it at the cost of one look.
 */
export function createRecordingObserver(watched?: WatchedHeaders): DispatchObserver {
  return {
    stage: (event) => registerSpan({ name: event, category: 'stage' }),
    listener(event, { name, priority }, noted = addedFrom()) {
      const { file, line, column } = noted() ?? {};
      const place = file === undefined ? '' : `${file}:${line}:${column}`;
      return registerSpan({ name, priority, event, place, category: 'listener' });
    },
    follower(type, event) {
      const { request } = event as { readonly request?: HttpRequest }; // events are objects; those of other houses have no request
      const recording = request?.scope.get(requestRecording);
      const response = recording === undefined ? undefined : watched?.(type, event);
      return recording === undefined || response === undefined
        ? recording
        : new HeaderFollower(recording, response);
    },
  };
}
