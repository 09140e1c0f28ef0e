import { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { HttpResponse } from '#http';
import type { MountedRequest } from './mounted-request.js';

/** Fields of one connection (RFC 9110 section 7.6.1) or of the server that sends the response. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/**
 * A response as a handler of `node:http` writes it. What it writes becomes an `HttpResponse`: at once with the first byte, or
 * whole where it is ended in one call. It waits for the client like any other stream. Trailers and informational responses
 * are left out. Everything stands on the message itself, as Express replaces its prototype.
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
    body.on('error', () => undefined); // of whoever reads it
    answer(toHttpResponse(response, body));
    return body;
  };
  const writeHead = response.writeHead.bind(response);
  const own = {
    socket: request.socket,
    /** Fields are set, not only written: written ones could not be read back. */
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
    // Sent by the server alone, which takes the body when it is read.
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

/** Fields by name, as pairs, or as names and values in turn: what `writeHead` takes. */
function setFields(response: ServerResponse, given: object): void {
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) response.setHeader(name, value as string); // or several, which Node checks
    return;
  }
  const flat: unknown[] = given.flat(); // pairs become names and values in turn
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

/** Throws a TypeError for what Node refuses as well. */
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
