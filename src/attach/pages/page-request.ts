import { request as requestHttp, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { HttpRequest, type TrustPolicy } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { readForeignSource } from '../watch/foreign-source.js';

/** Where the server that serves the page listens. */
interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const askedServer: ScopeKey<ServerAddress> = createScopeKey('server of a page');

/** Aborted when the client leaves before its answer is complete. */
export function leavingSignal(outgoing: ForeignResponse): AbortSignal {
  const left = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) left.abort();
  });
  return left.signal;
}

/** A request for one of our pages: its body is ours to read. */
export function toPageRequest(
  incoming: ForeignRequest,
  outgoing: ForeignResponse,
  trust?: TrustPolicy,
): HttpRequest {
  const source = readForeignSource(incoming);
  const body = { chunks: () => chunksOf(incoming) };
  const signal = leavingSignal(outgoing);
  const request = new HttpRequest({ ...source, body, signal }, trust === undefined ? {} : { trust });
  const { localAddress, localPort } = incoming.socket;
  if (localAddress !== undefined && localPort !== undefined)
    request.scope.set(askedServer, { host: localAddress, port: localPort, isTls: source.peer.encrypted });
  return request;
}

/** A parser in front of us may have read the form already; it left the fields. */
async function* chunksOf(incoming: ForeignRequest): AsyncGenerator<Uint8Array> {
  const { body } = incoming as { body?: unknown }; // set by body-parser and its like
  if (!incoming.readableEnded || typeof body !== 'object' || body === null) return yield* incoming;
  const fields = Object.entries(body).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  yield Buffer.from(new URLSearchParams(fields).toString());
}

/**
 * Sends a request to the server of the page, over a connection of its own, and never to where its URL or
 * Host points: those were chosen by whoever sent it first.
 */
export async function replayOverLoopback(request: Request, asker: HttpRequest): Promise<Response> {
  const server = asker.scope.get(askedServer);
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
    rejectUnauthorized: false, // it is this process, whatever its certificate says
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
  const stream = isBodiless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>); // two names of one type
  return new Response(stream, { status, headers });
}
