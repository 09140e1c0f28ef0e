import { ReadableStream } from 'node:stream/web';
import { HttpResponse, type Peer } from '#http';
import { disconnectSignal, sendResponse } from '../pages/attached-pages.js';
import { type ForeignRequest, type ForeignResponse, readForeignSource } from '../watch/foreign-message.js';

/** An application that can be mounted, such as lookback's. */
export interface MountedApp {
  fetch(request: Request, init?: { readonly peer?: Peer }): Promise<Response>;
}

/** A handler for `http.createServer`, Express, Connect, Fastify's middleware and Vite. */
export type NodeHandler = (
  request: ForeignRequest,
  response: ForeignResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Turns a lookback application into a handler for another server. The client is the remote end of that server's
 * socket, so the profiler, throttles and rules about addresses apply to the real client. Bodies stream both ways with
 * backpressure, and a client that disconnects aborts `request.signal`. Mount it before anything that reads bodies. The
 * application answers every request, also with a 404; `next` is only called if the application itself fails.
 */
export function toNodeHandler(app: MountedApp): NodeHandler {
  return (incoming, outgoing, next) => {
    const fail = (error: unknown): void => {
      if (outgoing.headersSent) outgoing.destroy();
      else if (next === undefined) answerStatus(outgoing, 500);
      else next(error);
    };
    answerByFetch(app, incoming, outgoing).catch(fail);
  };
}

async function answerByFetch(
  app: MountedApp,
  incoming: ForeignRequest,
  outgoing: ForeignResponse,
): Promise<void> {
  const source = readForeignSource(incoming);
  const request = toWebRequest(incoming, source, disconnectSignal(outgoing));
  if (request === undefined) {
    answerStatus(outgoing, 400);
    return;
  }
  const response = await app.fetch(request, { peer: source.peer });
  await sendResponse(outgoing, HttpResponse.fromWeb(response));
}

/** Returns undefined if a web `Request` cannot represent the request: an invalid Host, `CONNECT`, `TRACE`. */
function toWebRequest(
  incoming: ForeignRequest,
  source: ReturnType<typeof readForeignSource>,
  signal: AbortSignal,
): Request | undefined {
  const { method, target, rawHeaders, peer, authority } = source;
  try {
    const headers = new Headers();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2)
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
    const origin = `${peer.encrypted ? 'https' : 'http'}://${authority ?? headers.get('host') ?? ''}`;
    const url = target.startsWith('/') ? origin + target : target;
    const hasBody = method !== 'GET' && method !== 'HEAD' && announcesBody(incoming);
    return new Request(url, {
      method,
      headers,
      signal,
      ...(hasBody ? { body: requestStream(incoming) as BodyInit, duplex: 'half' } : {}), // Node's stream type and the DOM's differ
    });
  } catch {
    return undefined;
  }
}

/** Whether a body follows: by the header (RFC 9112 section 6.3), or in HTTP/2 if the stream has not ended. */
function announcesBody({ headers, httpVersionMajor, readableEnded }: ForeignRequest): boolean {
  if (httpVersionMajor >= 2) return !readableEnded;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Returns the body as a stream that is read on demand, so that unread bytes remain with the client. */
function requestStream(incoming: ForeignRequest): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream(
    {
      async pull(controller) {
        const next: IteratorResult<Uint8Array, unknown> = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function answerStatus(outgoing: ForeignResponse, status: number): void {
  outgoing.statusCode = status;
  outgoing.end();
}
