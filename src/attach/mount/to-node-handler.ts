import { ReadableStream } from 'node:stream/web';
import { HttpResponse, type Peer } from '#http';
import { leavingSignal } from '../pages/page-request.js';
import { sendResponse } from '../pages/send-response.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { readForeignSource } from '../watch/foreign-source.js';

/** What can be mounted: an application of lookback, by its `fetch`. */
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
 * back-pressure, and a client that leaves aborts `request.signal`. Mount it before anything that reads bodies. What
 * the application answers is final: there is no falling through to `next`, which is only called for a failure of the
 * application itself.
 */
export function toNodeHandler(app: MountedApp): NodeHandler {
  return (incoming, outgoing, next) => {
    const fail = (error: unknown): void => {
      if (outgoing.headersSent) outgoing.destroy();
      else if (next === undefined) refuse(outgoing, 500);
      else next(error);
    };
    answer(app, incoming, outgoing).catch(fail);
  };
}

async function answer(app: MountedApp, incoming: ForeignRequest, outgoing: ForeignResponse): Promise<void> {
  const source = readForeignSource(incoming);
  const request = toWebRequest(incoming, source, leavingSignal(outgoing));
  if (request === undefined) {
    refuse(outgoing, 400);
    return;
  }
  const response = await app.fetch(request, { peer: source.peer });
  await sendResponse(outgoing, HttpResponse.fromWeb(response));
}

/** Undefined where no web request can say it: a Host that is none, `CONNECT`, `TRACE`. */
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
      ...(hasBody ? { body: bodyOf(incoming) as BodyInit, duplex: 'half' } : {}), // of bytes
    });
  } catch {
    return undefined;
  }
}

/** RFC 9112 section 6.3; in HTTP/2 a body is announced by a stream that goes on. */
function announcesBody({ headers, httpVersionMajor, readableEnded }: ForeignRequest): boolean {
  if (httpVersionMajor >= 2) return !readableEnded;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Read on demand: the part that is not read stays with the client. */
function bodyOf(incoming: ForeignRequest): ReadableStream<Uint8Array> {
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

function refuse(outgoing: ForeignResponse, status: number): void {
  outgoing.statusCode = status;
  outgoing.end();
}
