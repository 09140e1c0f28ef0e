/** What a response can carry. Streams are sent with back-pressure and are read once. */
export type ResponseBody =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | null;

/** A body that is produced while it is sent. */
export type StreamedBody = Exclude<ResponseBody, string | Uint8Array | null>;

/** Whether a body is produced while it is sent, so that its size is not known before. */
export function isStreamedBody(body: ResponseBody): body is StreamedBody {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Bytes of a body that is at hand; 0 of one that is still to be produced. */
export function sizeOfBody(body: ResponseBody): number {
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : 0;
}
