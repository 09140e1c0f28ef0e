import { type HttpResponse, isClientGone, isStreamedBody } from '#http';
import type { Recording } from '#profiler';

/**
 * Records the body of a response. A stream is observed while it is sent; bytes are passed to the recording now, because they
 * may be overwritten later; text is read when the record is closed.
 */
export function watchBody(response: HttpResponse, recording: Recording | undefined): void {
  const { body } = response;
  if (recording === undefined) return;
  if (body instanceof Uint8Array) recording.sentBytes(body);
  if (!isStreamedBody(body)) return;
  response.body = recordChunks(body, recording);
}

async function* recordChunks(
  body: AsyncIterable<Uint8Array | string>,
  recording: Recording,
): AsyncGenerator<Uint8Array | string> {
  try {
    for await (const chunk of body) {
      // Chunks of other types are refused when they are sent.
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) recording.responseBody(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!isClientGone(error, recording.request)) recording.lateError(error);
    throw error;
  }
}
