import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '#http';
import type { ForeignResponse } from '../watch/foreign-message.js';

/** Sends a response of ours over another server's. A body that streams waits for the client, and ends when it goes. */
export async function sendResponse(
  foreign: ForeignResponse,
  response: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
): Promise<void> {
  const outgoing = foreign as ServerResponse; // of HTTP/2's, only methods that both have are used
  const fields = new Map<string, string[]>();
  for (const [name, value] of response.headers) {
    const known = fields.get(name.toLowerCase());
    if (known === undefined) fields.set(name.toLowerCase(), [value]);
    else known.push(value);
  }
  for (const [name, values] of fields)
    outgoing.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  outgoing.statusCode = response.status;
  const { body } = response;
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    if (body === null) {
      outgoing.end();
      return;
    }
    if (!outgoing.hasHeader('content-length')) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
    outgoing.end(body);
    return;
  }
  await sendStream(outgoing, body);
}

/** Resolves when all is handed over or the client is gone; the connection is cut where the source fails half-way. */
async function sendStream(outgoing: ServerResponse, body: AsyncIterable<Uint8Array | string>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  let leave = (): void => undefined;
  const gone = new Promise<undefined>((resolve) => (leave = () => resolve(undefined)));
  outgoing.once('close', leave);
  try {
    outgoing.writeHead(outgoing.statusCode);
    for (;;) {
      const next = await Promise.race([chunks.next(), gone]);
      if (next === undefined || outgoing.destroyed) break;
      if (next.done === true) {
        outgoing.end();
        return;
      }
      if (!outgoing.write(next.value)) await Promise.race([drained(outgoing), gone]);
    }
    // Not awaited: a source that waits for something else would keep us from leaving.
    chunks.return?.().catch(() => undefined);
  } catch (error) {
    outgoing.destroy();
    throw error;
  } finally {
    outgoing.off('close', leave);
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => outgoing.once('drain', resolve));
}
