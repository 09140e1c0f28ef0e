import { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { HttpResponse } from '#http';
import type { MountedRequest } from './mounted-request.js';

/** Fields of one connection (RFC 9110 section 7.6.1) or of the server that sends the response. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/**
 * Creates the response for a `node:http` handler and converts it to an `HttpResponse`: a complete one if the handler ends
 * it in one call, else a streamed one with the first byte. The stream has backpressure. Trailers and informational
 * responses are ignored. All properties are set on the message itself, because Express replaces its prototype.
 */
export function mountResponse(
  request: MountedRequest,
  answer: (response: HttpResponse) => void,
): ServerResponse {
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
