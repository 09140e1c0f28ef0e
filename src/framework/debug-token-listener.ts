import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import { kernelListener, kernelPriority, responseEvent } from '#kernel';
import { requestRecording } from '#profiler';
import { readOrigin } from './read-origin.js';

/** Names the record in the response, for clients that may open it. */
export function createDebugTokenListener(isShown: (request: HttpRequest) => boolean): KernelListener {
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      const token = request.scope.get(requestRecording)?.token;
      if (token === undefined || !isShown(request)) return;
      response.headers.set('X-Debug-Token', token);
      response.headers.set('X-Debug-Token-Link', recordLink(request, token));
    },
    { name: 'debug token', priority: kernelPriority.response.debugToken },
  );
}

export function recordLink(request: HttpRequest, token: string): string {
  return `${readOrigin(request)}/_profiler/${token}`;
}
