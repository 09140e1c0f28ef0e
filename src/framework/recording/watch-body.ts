import { type HttpResponse, isClientGone, isStreamedBody } from '#http';
import type { Recording } from '#profiler';

/** A streamed body is looked at as it passes; bytes are copied, which may be written into later; a text is read when the record closes. */
export function watchBody(response: HttpResponse, recording: Recording | undefined): void {
  const { body } = response;
  if (recording === undefined) return;
  if (body instanceof Uint8Array) recording.sentBytes(body);
  if (!isStreamedBody(body)) return;
  response.body = passing(body, recording);
}

async function* passing(
  body: AsyncIterable<Uint8Array | string>,
  recording: Recording,
): AsyncGenerator<Uint8Array | string> {
  try {
    for await (const chunk of body) {
      // What is neither is refused when it is to be sent.
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) recording.responseBody(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!isClientGone(error, recording.request)) recording.lateError(error);
    throw error;
  }
}
