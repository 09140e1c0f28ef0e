/** The body of a response. Streams are read once and sent with backpressure. */
export type ResponseBody =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | null;

/** A body that is produced while it is sent. */
export type StreamedBody = Exclude<ResponseBody, string | Uint8Array | null>;

/** Whether a body is produced while it is sent, so that its size is not known in advance. */
export function isStreamedBody(body: ResponseBody): body is StreamedBody {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Returns the size of a body in bytes; 0 for a streamed body. */
export function sizeOfBody(body: ResponseBody): number {
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : 0;
}
