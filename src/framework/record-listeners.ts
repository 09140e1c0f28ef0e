import type { HttpRequest, HttpResponse, ResponseBody } from '#http';
import type { KernelListener } from '#kernel';
import { controllerArgumentsEvent, kernelListener, kernelPriority, responseEvent } from '#kernel';
import type { Recording } from '#profiler';
import { requestRecording } from '#profiler';
import { readOrigin } from './read-origin.js';

/** What is told to the open recording by listening to the kernel's events like anybody. */
export function createRecordListeners(isShown: (request: HttpRequest) => boolean): readonly KernelListener[] {
  return [
    kernelListener(
      controllerArgumentsEvent,
      ({ request, controller, arguments: values }) => {
        request.scope.get(requestRecording)?.controller(controller, values, controller.arguments);
      },
      { name: 'record controller', priority: kernelPriority.response.recording },
    ),
    kernelListener(
      responseEvent,
      ({ request, response }) => {
        const token = request.scope.get(requestRecording)?.token;
        if (token === undefined || !isShown(request)) return;
        response.headers.set('X-Debug-Token', token);
        response.headers.set('X-Debug-Token-Link', recordLink(request, token));
      },
      { name: 'debug token', priority: kernelPriority.response.debugToken },
    ),
    kernelListener(
      responseEvent,
      ({ request, response }) => watchBody(response, request.scope.get(requestRecording)),
      { name: 'record body', priority: kernelPriority.response.recording },
    ),
  ];
}

export function recordLink(request: HttpRequest, token: string): string {
  return `${readOrigin(request)}/_profiler/${token}`;
}

/** A streamed body is looked at as it passes; a body that is there already is read when the record closes. */
function watchBody(response: HttpResponse, recording: Recording | undefined): void {
  const { body } = response;
  if (recording === undefined || !isStream(body)) return;
  response.body = passing(body, recording);
}

function isStream(body: ResponseBody): body is Exclude<ResponseBody, string | Uint8Array | null> {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

async function* passing(
  body: AsyncIterable<Uint8Array | string>,
  recording: Recording,
): AsyncGenerator<Uint8Array | string> {
  try {
    for await (const chunk of body) {
      recording.responseBody(chunk);
      yield chunk;
    }
  } catch (error) {
    recording.lateError(error);
    throw error;
  }
}
