import type { DispatchObserver } from '#events';
import type { HttpRequest } from '#http';
import { registerSpan } from '../record/span-registry.js';
import { requestRecording } from './current-recording.js';

/** Events of the kernel carry the request that they are about. */
interface AboutRequest {
  readonly request?: HttpRequest;
}

/**
 * For a dispatcher: notes in the request's record each dispatch as a stage, and which listeners were called, when, and
 * which of them answered or threw. Requests without a recording pass by it at the cost of one look.
 */
export function createRecordingObserver(): DispatchObserver {
  return {
    stage: (event) => registerSpan({ name: event, category: 'stage' }),
    listener: (event, { name, priority }) => registerSpan({ name, priority, event, category: 'listener' }),
    follower(event) {
      const { request } = event as AboutRequest; // events are objects; those of other houses have no request
      return request?.scope.get(requestRecording);
    },
  };
}
