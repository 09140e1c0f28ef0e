import { HttpRequest, HttpResponse, type Peer, type RequestSource } from '#core/http';
import { disconnectSignal, sendResponse } from '../pages/attached-pages.js';
import { foreignBody } from './foreign-body.js';
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
 * Turns a lookback application into a handler for another server. The client is the peer of that server's socket, so
 * profiler access, throttling and address rules apply to the real client. Bodies stream both ways with backpressure,
 * and a client that disconnects aborts `request.signal`. Mount it before anything that reads bodies: reading one again
 * fails with `ATTACH_BODY_READ`. The application answers every request, if need be with a 404; `next` is only called if
 * the application itself fails. Cookies, `Vary` and other lists set by earlier handlers are kept.
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
  const body = foreignBody(incoming);
  const source = { ...readForeignSource(incoming), body, signal: disconnectSignal(outgoing) };
  try {
    const request = toWebRequest(source);
    if (request === undefined) return answerStatus(outgoing, 400);
    const response = await app.fetch(request, { peer: source.peer });
    await sendResponse(outgoing, HttpResponse.fromWeb(response));
  } finally {
    body?.leave();
  }
}

/** Returns undefined if a web `Request` cannot represent the request: an invalid Host, `CONNECT`, `TRACE`. */
function toWebRequest(source: RequestSource): Request | undefined {
  const request = new HttpRequest(source);
  try {
    request.openBody({ maxBytes: Infinity }); // the application has its own limits
    return request.web;
  } catch {
    return undefined;
  }
}

function answerStatus(outgoing: ForeignResponse, status: number): void {
  outgoing.statusCode = status;
  outgoing.end();
}
