import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import { kernelListener, kernelPriority, responseEvent } from '#kernel';
import { type Recording, requestRecording } from '#profiler';
import { readOrigin } from '../failures/read-origin.js';

/** Names the record in the response, for clients that may open it. */
export function createDebugTokenListener(isShown: (request: HttpRequest) => boolean): KernelListener {
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      const recording = request.scope.get(requestRecording);
      if (recording === undefined || !isShown(request)) return;
      response.headers.set('X-Debug-Token', recording.token);
      response.headers.set('X-Debug-Token-Link', recordLink(request, recording));
    },
    { name: 'debug token', priority: kernelPriority.response.debugToken },
  );
}

/** Address of the record at the origin that was asked for. */
export function recordLink(request: HttpRequest, recording: Recording): string {
  return `${readOrigin(request)}/_profiler/${recording.token}`;
}
