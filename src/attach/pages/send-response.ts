import type { ServerResponse } from 'node:http';
import { type HttpResponse, isStreamedBody, pumpBody, sizeOfBody } from '#http';
import type { ForeignResponse } from '../watch/foreign-message.js';

/** Sends a response of ours over another server's. A body that streams waits for the client, and ends when it goes. */
export async function sendResponse(
  foreign: ForeignResponse,
  response: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
): Promise<void> {
  const outgoing = foreign as ServerResponse; // of HTTP/2's, only methods that both have are used
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
    outgoing.destroy(); // a cut connection is the only way left to say that the body is not whole
    throw error;
  }
}
