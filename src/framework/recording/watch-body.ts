import type { HttpResponse, ResponseBody } from '#http';
import type { Recording } from '#profiler';

/** A streamed body is looked at as it passes; a body that is there already is read when the record closes. */
export function watchBody(response: HttpResponse, recording: Recording | undefined): void {
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
