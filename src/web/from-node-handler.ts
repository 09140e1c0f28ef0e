import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ControllerContext } from '#controller';
import { NotFoundError } from '#errors';
import { HttpResponse, type HttpRequest } from '#http';

/** A handler of `node:http`, such as an application of Express or Connect. */
export type NodeRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/**
 * Creates a controller from a handler for `node:http`, Express or Connect:
 * `app.any('/old/{path<.*>}', fromNodeHandler(express, { depth: 1 }))`, or shorter `app.mount('/old', express)`. The
 * handler receives messages of Node's classes, whatever the transport, without the first `depth` segments of the path.
 * If it calls `next()`, the response is 404. An error that it throws, rejects with or passes to `next` is an error of
 * the request.
 */
export function fromNodeHandler(
  handler: NodeRequestHandler,
  { depth = 0 }: { readonly depth?: number } = {},
): (context: ControllerContext) => Promise<HttpResponse> {
  return ({ request }) =>
    new Promise((resolve, reject) => {
      const incoming = mountRequest(request, depth);
      const outgoing = mountResponse(incoming, resolve);
      const passOn = (error?: unknown): void => {
        if (outgoing.headersSent) return void outgoing.destroy(error instanceof Error ? error : undefined);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever the handler failed with
        reject(
          error ?? new NotFoundError(`Nothing below ${incoming.baseUrl} answers ${incoming.url ?? '/'}.`),
        );
      };
      const onDisconnect = (): void => {
        incoming.destroy();
        if (!outgoing.writableEnded) outgoing.destroy();
      };
      request.signal.addEventListener('abort', onDisconnect, { once: true });
      const run = async (): Promise<unknown> => handler(incoming, outgoing, passOn);
      run().catch((error: unknown) => passOn(error));
    });
}

/** A Node message with the properties that Connect and Express add to it. */
interface MountedRequest extends IncomingMessage {
  readonly originalUrl: string;
  readonly baseUrl: string;
}

/**
 * Creates the request for a `node:http` handler, without the first `depth` segments of its path; `originalUrl` and
 * `baseUrl` are as in Connect and Express. The body is read when the handler reads it. All properties are set on the
 * message itself, because Express replaces its prototype.
 */
function mountRequest(request: HttpRequest, depth: number): MountedRequest {
  const { rawPath, rawQuery, source } = request;
  const segments = rawPath.split('/');
  const query = rawQuery === '' ? '' : `?${rawQuery}`;
  const host =
    request.headers.has('host') || source.authority === undefined ? [] : ['Host', source.authority];
  // Handlers read a body only if one of these fields announces it (RFC 9112 section 6.3); HTTP/2 requires neither.
  const isAnnounced = request.headers.has('content-length') || request.headers.has('transfer-encoding');
  const framing = source.body === undefined || isAnnounced ? [] : ['Transfer-Encoding', 'chunked'];
  const rawHeaders = [...host, ...source.rawHeaders, ...framing];
  let chunks: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // Node does not call `read` again by itself, so chunks are pushed until the buffer is full.
  const readChunks = async (): Promise<void> => {
    chunks ??= request.body.getReader();
    for (let isWanted = true; isWanted;) {
      const { done, value } = await chunks.read();
      message.complete = done;
      isWanted = message.push(done ? null : value);
    }
  };
  const message: MountedRequest = Object.assign(new IncomingMessage(socketOf(request)), {
    method: request.method,
    originalUrl: rawPath + query,
    baseUrl: segments.slice(0, depth + 1).join('/'),
    url: `/${segments.slice(depth + 1).join('/')}${query}`,
    httpVersion: '1.1', // these handlers expect HTTP/1.1, whatever the actual protocol
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    rawHeaders,
    headers: joinHeaders(rawHeaders),
    _read: () => void readChunks().catch((error: unknown) => message.destroy(asError(error))),
  });
  return message;
}

/** Joins same-named fields as Node does: cookies by semicolons, all others by commas. */
function joinHeaders(raw: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name, value] = [(raw[index] ?? '').toLowerCase(), raw[index + 1] ?? ''];
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return Object.fromEntries(fields);
}

/** Creates a socket from which handlers can read the client's address. It does not transfer data. */
function socketOf({ peer }: HttpRequest): Socket {
  const socket = new Socket();
  Object.defineProperties(socket, {
    remoteAddress: { value: peer.address },
    remotePort: { value: peer.port },
    encrypted: { value: peer.encrypted },
  });
  return socket;
}

function asError(thrown: unknown): Error | undefined {
  return thrown instanceof Error ? thrown : undefined;
}

/** Fields of one connection (RFC 9110 section 7.6.1) or of the server that sends the response. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/**
 * Creates the response for a `node:http` handler and converts it to an `HttpResponse`: a complete one if the handler ends
 * it in one call, else a streamed one with the first byte. The stream has backpressure. Trailers and informational
 * responses are ignored. All properties are set on the message itself, because Express replaces its prototype.
 */
function mountResponse(request: MountedRequest, answer: (response: HttpResponse) => void): ServerResponse {
  const response = new ServerResponse(request);
  response.sendDate = false;
  let body: PassThrough | undefined;
  const begin = (): PassThrough => {
    if (body !== undefined) return body;
    if (!response.headersSent) response.writeHead(response.statusCode);
    body = new PassThrough();
    body.on('drain', () => response.emit('drain'));
    body.on('error', () => undefined); // the reader of the body handles its errors
    answer(toHttpResponse(response, body));
    return body;
  };
  const writeHead = response.writeHead.bind(response);
  const own = {
    socket: request.socket,
    /** Sets the fields instead of only writing them, so that they can be read back. */
    writeHead(status: number, ...given: unknown[]): ServerResponse {
      for (const one of given) if (typeof one === 'object' && one !== null) setFields(response, one);
      const [reason] = given;
      return typeof reason === 'string' ? writeHead(status, reason) : writeHead(status);
    },
    write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      const done = [encoding, callback].find(isFunction);
      const isTaken = begin().write(bytesOf(chunk, encoding));
      if (done !== undefined) process.nextTick(done);
      return isTaken;
    },
    end(chunk?: unknown, encoding?: unknown, callback?: unknown): ServerResponse {
      if (response.writableEnded) return response;
      const last =
        chunk === undefined || chunk === null || isFunction(chunk) ? null : bytesOf(chunk, encoding);
      if (body === undefined) {
        if (!response.headersSent) response.writeHead(response.statusCode);
        answer(toHttpResponse(response, last));
      } else body.end(last ?? undefined);
      response.finished = true;
      process.nextTick(emitEnd, response, [chunk, encoding, callback].find(isFunction));
      return response;
    },
    flushHeaders: () => void begin(),
    destroy(error?: Error): ServerResponse {
      if (response.destroyed) return response;
      response.destroyed = true;
      begin().destroy(error ?? new Error('The mounted handler aborted its response.'));
      process.nextTick(() => response.emit('close'));
      return response;
    },
    // Only the server sends these, when the body is read.
    writeContinue: nothing,
    writeProcessing: nothing,
    writeEarlyHints: nothing,
  };
  for (const [name, value] of Object.entries(own))
    Object.defineProperty(response, name, { value, writable: true, configurable: true });
  return response;
}

function emitEnd(response: ServerResponse, done: (() => void) | undefined): void {
  response.emit('prefinish');
  response.emit('finish');
  done?.();
  response.emit('close');
}

/** Sets fields in all forms that `writeHead` accepts: by name, as pairs, or as alternating names and values. */
function setFields(response: ServerResponse, given: object): void {
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) response.setHeader(name, value as string); // or a list; Node validates it
    return;
  }
  const flat: unknown[] = given.flat(); // pairs become alternating names and values
  for (let at = 0; at + 1 < flat.length; at += 2)
    response.appendHeader(String(flat[at]), String(flat[at + 1]));
}

function toHttpResponse(written: ServerResponse, body: Uint8Array | PassThrough | null): HttpResponse {
  const response = new HttpResponse(body, { status: written.statusCode });
  for (const name of written.getHeaderNames()) {
    if (connectionHeaders.has(name.toLowerCase())) continue;
    for (const value of [written.getHeader(name)].flat()) response.headers.append(name, String(value));
  }
  return response;
}

/** Returns the bytes of a chunk. Like Node, throws a TypeError if it is neither text nor bytes. */
function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk !== 'string') throw new TypeError('A response is written as text or bytes.');
  const isEncoding = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return Buffer.from(chunk, isEncoding ? encoding : 'utf8');
}

function isFunction(value: unknown): value is () => void {
  return typeof value === 'function';
}

function nothing(): void {
  // see above
}
