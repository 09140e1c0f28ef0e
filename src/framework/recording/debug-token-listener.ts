import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import { kernelListener, kernelPriority, responseEvent } from '#kernel';
import { type Recording, requestRecording } from '#profiler';
import { readOrigin } from '../failures/read-origin.js';

/** Names the record in the response, for clients that may open it. */
export function createDebugTokenListener(
  isShown: (request: HttpRequest) => boolean,
  origins: readonly string[],
): KernelListener {
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      const recording = request.scope.get(requestRecording);
      if (recording === undefined || !isShown(request)) return;
      response.headers.set('X-Debug-Token', recording.token);
      response.headers.set('X-Debug-Token-Link', recordLink(request, recording));
      if (!origins.includes(request.headers.get('origin') ?? '')) return;
      // Scripts of another origin see a few fields only, unless they are named (Fetch, section 3.3.3).
      const exposed = response.headers.get('access-control-expose-headers');
      const own = 'X-Debug-Token, X-Debug-Token-Link';
      response.headers.set(
        'Access-Control-Expose-Headers',
        exposed === undefined ? own : `${exposed}, ${own}`,
      );
    },
    { name: 'debug token', priority: kernelPriority.response.debugToken },
  );
}

/** Address of the record at the origin that was asked for. */
export function recordLink(request: HttpRequest, recording: Recording): string {
  return `${readOrigin(request)}/_profiler/${recording.token}`;
}

/** Address of the request's record; undefined where none is kept, or its origin cannot be read. */
export function recordLinkOf(request: HttpRequest): string | undefined {
  const recording = request.scope.get(requestRecording);
  return recording === undefined || readOrigin(request) === '' ? undefined : recordLink(request, recording);
}
