import { captureCallSites } from '#errors';
import type { DispatchObserver, EventType, ListenerPlace } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import { registerSpan } from '../tape/span-list.js';
import { HeaderFollower } from './header-follower.js';
import { requestRecording } from './current-recording.js';

/** Returns the event if the response headers should be watched while its listeners run; undefined otherwise. */
export type WatchedHeaders = (
  type: EventType<never>,
  event: unknown,
) => { readonly response: HttpResponse } | undefined;

/** Captures the place of the call to `on` in the application. The depth of 4 also covers two frames of the framework. */
function addedFrom(): () => ListenerPlace | undefined {
  const sites = captureCallSites(addedFrom, { depth: 4, limit: 1 });
  return () => sites()[0];
}

/**
 * Creates an observer for a dispatcher. It records each dispatch as a stage, with the listeners that were called, their times,
 * and whether they stopped the dispatch or threw. For requests without a recording, it costs only one scope lookup.
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
