import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CodedError } from '#core/coded-error';
import { failureError, httpErrors } from '../failures/error-codes.js';
import { tokenPattern } from '../headers/parameters.js';
import { HttpRequest } from '../request/http-request.js';
import { type Peer, type RequestSource, peerOf } from '../source/request-source.js';
import { keepAfterEnd } from './fast/node-internals.js';
import type { ServerLimits } from './server-options.js';
import type { ConnectionExchange, ServerState } from './server-state.js';
import { statusText } from '#core/errors';
import { UpgradeResponse, type HttpResponse, type SentResponse } from '../response/http-response.js';
import { assertStatus, isBodiless, isStreamedBody, pumpBody } from '../response/response-body.js';
import { frameResponse, headText, headerBlock } from './header-block.js';
import { NodeSource } from './node-source.js';

/** Answers bytes that could not be parsed, once per connection. */
export class Refusals {
  readonly #service: ServerState;
  readonly #seen: WeakSet<Socket> = new WeakSet();
  /** Settles one iteration of the event loop after the previous refusal. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(service: ServerState) {
    this.#service = service;
  }

  refuse(error: ParserError, socket: Socket): void {
    if (this.#seen.has(socket)) return; // the parser fails again on each further packet
    this.#seen.add(socket);
    if (this.#service.closingSockets.has(socket)) return;
    if (!socket.writable || socket.bytesRead === 0 || this.#hasUnreadBody(socket) || isLost(error)) {
      socket.destroy();
      return;
    }
    keepAfterEnd(socket);
    const failure = parserFailure(error, this.#service.limits);
    const source = createRefusedSource(failure, lastHead(error), peerOf(socket));
    // Thousands of connections may time out together: other work is served between them.
    this.#turn = this.#turn.then(() => {
      this.#conclude(source, socket);
      return turnOfEventLoop();
    });
  }

  /** Passes the failure to the request whose body is being read, or else answers it separately. */
  #conclude(source: RefusedSource, socket: Socket): void {
    if (this.#service.closingSockets.has(socket)) return;
    const busy = this.#service.inFlightOn(socket);
    const reading = busy.find((exchange) => !exchange.source.isComplete);
    if (reading !== undefined) this.#failBody(reading, source.failure, socket);
    else if (this.#hasUnreadBody(socket)) socket.destroy();
    else this.#answer(source, socket);
  }

  /** Whether the bytes belong to the body of a request that has already been answered. */
  #hasUnreadBody(socket: Socket): boolean {
    return this.#service.unread.get(socket)?.isComplete === false;
  }

  /** Refuses plain HTTP at a TLS server, given its first bytes. */
  refusePlain(bytes: Uint8Array, socket: Socket): void {
    if (this.#service.closingSockets.has(socket)) return;
    socket.on('error', () => socket.destroy());
    socket.resume();
    this.#answer(
      createRefusedSource(httpErrors.create('HTTP_TLS_EXPECTED', {}), bytes, peerOf(socket)),
      socket,
    );
  }

  /** Refuses a CONNECT: this server is not a proxy. Node has released the socket. */
  refuseConnect(message: IncomingMessage, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    const { method = '', url = '', rawHeaders, httpVersion } = message;
    const failure = httpErrors.create('HTTP_METHOD_UNSUPPORTED', { method });
    const source = { method, target: url, rawHeaders, httpVersion, peer: peerOf(socket), failure };
    this.#answer(source, socket);
  }

  #answer(source: RefusedSource, socket: Socket): void {
    this.#answerInOrder(source, socket).catch((error: unknown) => {
      this.#service.report(error);
      socket.destroy();
    });
  }

  /** Reports a failure to the application if there is no request to answer. */
  async note(failure: CodedError, peer: Peer): Promise<void> {
    const request = new HttpRequest(createRefusedSource(failure, undefined, peer), this.#service);
    const response = await this.#service.respond(request, failureError(failure).status);
    const sent = { status: response.status, headers: [], bodyBytes: 0, completed: false };
    this.#service.terminate(request, response, sent);
  }

  /** Makes the reader of the request's body fail; closes the connection after the answer. */
  #failBody(exchange: ConnectionExchange, failure: CodedError, socket: Socket): void {
    exchange.source.failBody(failureError(failure));
    exchange.afterwards(() => setTimeout(() => socket.destroy(), 1000).unref());
  }

  async #answerInOrder(source: RefusedSource, socket: Socket): Promise<void> {
    await answersBefore(this.#service, socket);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const request = new HttpRequest(source, this.#service);
    const response = await this.#service.respond(request, failureError(source.failure).status);
    const sent = await answerUnparsed(socket, response, request.source.method);
    this.#service.terminate(request, response, sent);
  }
}

/** Returns the packet from the head that failed. Earlier requests in the same packet are answered on their own. */
function lastHead({ rawPacket, bytesParsed = 0 }: ParserError): Uint8Array | undefined {
  if (rawPacket === undefined) return undefined;
  const before = Buffer.from(
    rawPacket.buffer,
    rawPacket.byteOffset,
    Math.min(bytesParsed, rawPacket.byteLength),
  );
  const end = before.lastIndexOf('\r\n\r\n');
  return end === -1 ? rawPacket : rawPacket.subarray(end + 4);
}

function isLost(error: ParserError): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'ETIMEDOUT';
}

interface RefusedSource extends RequestSource {
  readonly failure: CodedError;
}

const maxHeadBytes = 2048;
const fieldPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):([\t\x20-\x7e\x80-\xff]*)$/;

/** Creates a source from bytes that could not be parsed; it only serves to show what arrived, and is not validated. */
function createRefusedSource(failure: CodedError, packet: Uint8Array | undefined, peer: Peer): RefusedSource {
  const rawHead =
    packet === undefined ? '' : Buffer.from(packet.subarray(0, maxHeadBytes)).toString('latin1');
  const [first = '', ...lines] = rawHead
    .split(/\r?\n\r?\n/, 1)
    .join('')
    .split(/\r?\n/);
  const [method = '', target = '', version = ''] = first.split(' ');
  return {
    method: tokenPattern.test(method) ? method.slice(0, 40) : '-',
    target,
    rawHeaders: lines.flatMap((line) => fieldPattern.exec(line)?.slice(1) ?? []).map((text) => text.trim()),
    httpVersion: /^HTTP\/(\d\.\d)$/.exec(version)?.[1] ?? '',
    peer,
    failure,
    rawHead,
  };
}

/** Node's error for bytes that it could not parse. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly reason?: string;
  readonly rawPacket?: Uint8Array;
  /** Number of bytes in the packet before the one that failed. */
  readonly bytesParsed?: number;
}

/**
 * Converts a parser error, which is not kept as a cause: a refused request has the same two errors as any other bad
 * request.
 */
export function parserFailure(error: ParserError, limits: ServerLimits): CodedError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return overflow(error, limits);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return httpErrors.create('HTTP_CHUNK_EXTENSIONS_TOO_LARGE', {});
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpErrors.create('HTTP_REQUEST_TIMEOUT', {});
    default:
      return httpErrors.create('HTTP_PARSER_REFUSED', { reason: error.reason ?? error.message });
  }
}

/** Distinguishes a long request line from long headers: the parser counts both as header bytes. */
function overflow(error: ParserError, limits: ServerLimits): CodedError {
  // Over TLS, or with slow clients, the packet may begin after the request line, in the middle of a field.
  const found = /^[A-Za-z-]{1,30} (\S+)/.exec(Buffer.from(error.rawPacket ?? []).toString('latin1'));
  const length = found?.[1]?.length ?? 0;
  if (length > limits.target)
    return httpErrors.create('HTTP_TARGET_TOO_LONG', { length, limit: limits.target });
  return httpErrors.create('HTTP_HEADERS_TOO_LARGE', { limit: limits.headerBytes });
}

class UpgradeSource extends NodeSource {
  readonly canUpgrade = true;
}

/**
 * Answers an upgrade request, given as Node's `upgrade` event passes it. If the response is an `UpgradeResponse`, it
 * takes over the connection, and the request is reported as finished when the connection closes. Any other response is
 * sent, and the connection is closed after it.
 */
export async function beginUpgrade(
  service: ServerState,
  message: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const source = new UpgradeSource(message, new ServerResponse(message));
  const request = new HttpRequest(source, service);
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      source.abort();
      resolve();
    });
  });
  await answersBefore(service, socket);
  if (service.closingSockets.has(socket)) return;
  let response = await service.respond(request, 500);
  if (response instanceof UpgradeResponse && socket.writable) {
    try {
      const report = (error: unknown): void => service.report(error, request);
      response.take({ message, socket, head, headers: response.headers, report });
      await closed;
      const headers = [...response.headers.flat];
      service.terminate(request, response, { status: 101, headers, bodyBytes: 0, completed: true });
      return;
    } catch (error) {
      service.report(error, request);
      response = service.plainResponse(500);
    }
  }
  if (response.status === 101) response = service.plainResponse(500);
  service.terminate(request, response, await answerUnparsed(socket, response, source.method));
}

/**
 * Waits for the responses to earlier requests; forwards `drain` to them, which Node no longer does after its `upgrade`
 * event.
 */
async function answersBefore(service: ServerState, socket: Socket): Promise<void> {
  const busy = service.inFlightOn(socket);
  if (busy.length === 0) return;
  const drain = (): void => {
    for (const { source } of busy) source.reply.emit('drain');
  };
  socket.on('drain', drain);
  await new Promise<void>((resolve) => busy.at(-1)?.afterwards(resolve));
  socket.off('drain', drain);
}

/**
 * Milliseconds for which a refused client may keep sending before its connection is cut, so that it can read the
 * response.
 */
const lingerMs = 1000;

/** Writes a response to a socket whose request could not be parsed, and closes the socket. */
export async function answerUnparsed(
  socket: Socket,
  response: HttpResponse,
  method: string,
): Promise<SentResponse> {
  const { status, body } = response;
  assertStatus(status);
  const headers = headerBlock(response, frameResponse(response, method, { kind: 'close' }), undefined);
  let bodyBytes = 0;
  const onBytes = (count: number): void => {
    bodyBytes += count;
  };
  const bodiless = isBodiless(method, status) || body === null;
  socket.cork();
  socket.write(headText(status, statusText(status), headers), 'latin1');
  let completed = true;
  if (!bodiless && (typeof body === 'string' || body instanceof Uint8Array)) {
    bodyBytes = Buffer.byteLength(body);
    socket.write(body);
  }
  socket.uncork();
  if (!bodiless && isStreamedBody(body)) {
    completed = await pumpBody(body, socket, { onBytes }).catch(() => false);
  }
  const flushed = await endSocket(socket);
  return { status, headers, bodyBytes, completed: completed && flushed };
}

/** Ends the socket; resolves to whether everything was flushed. Destroys the socket after `lingerMs` in any case. */
function endSocket(socket: Socket): Promise<boolean> {
  setTimeout(() => socket.destroy(), lingerMs).unref();
  return new Promise((resolve) => {
    socket.once('close', () => resolve(false));
    socket.end(() => resolve(true));
  });
}
