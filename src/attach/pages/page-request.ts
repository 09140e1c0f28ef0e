import { request as requestHttp, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { HttpRequest, type TrustPolicy } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { readForeignSource } from '../watch/foreign-source.js';

/** The address on which the server that serves a page listens. */
interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const pageServer: ScopeKey<ServerAddress> = createScopeKey('server of a page');

/** Returns a signal that is aborted if the client disconnects before its answer is complete. */
export function disconnectSignal(outgoing: ForeignResponse): AbortSignal {
  const disconnect = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) disconnect.abort();
  });
  return disconnect.signal;
}

/** Creates the request for a profiler page, including its body. */
export function toPageRequest(
  incoming: ForeignRequest,
  outgoing: ForeignResponse,
  trust?: TrustPolicy,
): HttpRequest {
  const source = readForeignSource(incoming);
  const body = { chunks: () => chunksOf(incoming) };
  const signal = disconnectSignal(outgoing);
  const request = new HttpRequest({ ...source, body, signal }, trust === undefined ? {} : { trust });
  const { localAddress, localPort } = incoming.socket;
  if (localAddress !== undefined && localPort !== undefined)
    request.scope.set(pageServer, { host: localAddress, port: localPort, isTls: source.peer.encrypted });
  return request;
}

/** Returns the bytes of the body. If a body parser has already read the form, encodes its fields again. */
async function* chunksOf(incoming: ForeignRequest): AsyncGenerator<Uint8Array> {
  const { body } = incoming as { body?: unknown }; // set by body parsers
  if (!incoming.readableEnded || typeof body !== 'object' || body === null) return yield* incoming;
  const fields = Object.entries(body).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  yield Buffer.from(new URLSearchParams(fields).toString());
}

/**
 * Replays a request on the server that serves the page, over a new connection. The connection never goes to the host of
 * the URL or the Host header, because the original client chose those.
 */
export async function replayOverLoopback(request: Request, pageRequest: HttpRequest): Promise<Response> {
  const server = pageRequest.scope.get(pageServer);
  if (server === undefined) throw new Error('the server listens on no port');
  const { host: name, pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const options = {
    host: server.host,
    port: server.port,
    method: request.method,
    path: pathname + search,
    headers: { ...Object.fromEntries(request.headers), host: name },
    signal: request.signal,
    agent: false,
    rejectUnauthorized: false, // the server is this process, so its certificate need not match
    servername: name.replace(/:\d+$/, ''),
  } as const;
  const send = server.isTls ? (await import('node:https')).request : requestHttp;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(options, resolve);
    outgoing.on('error', reject).end(body.byteLength === 0 ? undefined : body);
  });
  return toResponse(answer);
}

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  const isBodiless = status === 204 || status === 205 || status === 304;
  const headers = new Headers();
  const token = answer.headers['x-debug-token'];
  if (typeof token === 'string') headers.set('x-debug-token', token);
  if (isBodiless) answer.resume();
  const stream = isBodiless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>); // Node's and the DOM's type of the same class
  return new Response(stream, { status, headers });
}
