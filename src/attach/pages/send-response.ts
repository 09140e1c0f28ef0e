import type { ServerResponse } from 'node:http';
import { type HttpResponse, isStreamedBody, pumpBody, sizeOfBody } from '#http';
import type { ForeignResponse } from '../watch/foreign-message.js';

/** Sends a response through another server's. A streamed body has backpressure, and is cancelled if the client disconnects. */
export async function sendResponse(
  foreign: ForeignResponse,
  response: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
): Promise<void> {
  const outgoing = foreign as ServerResponse; // only methods that HTTP/2's response has as well are used
  for (const [name] of response.headers) {
    const values = response.headers.getAll(name);
    outgoing.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  }
  outgoing.statusCode = response.status;
  const { body } = response;
  if (!isStreamedBody(body)) {
    if (body !== null && !outgoing.hasHeader('content-length'))
      outgoing.setHeader('Content-Length', sizeOfBody(body));
    outgoing.end(body ?? undefined);
    return;
  }
  outgoing.writeHead(outgoing.statusCode);
  try {
    if (await pumpBody(body, outgoing)) outgoing.end();
  } catch (error) {
    outgoing.destroy(); // cutting the connection is the only way left to signal that the body is incomplete
    throw error;
  }
}
