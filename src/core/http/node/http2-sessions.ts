import { AsyncResource } from 'node:async_hooks';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { failureError, httpErrors } from '../failures/error-codes.js';
import type { HttpRequest } from '../request/http-request.js';
import type { HttpResponse } from '../response/http-response.js';
import { assertStatus, isBodiless, stopBody } from '../response/response-body.js';
import {
  ConnectionExchange,
  type ReplyWriter,
  sendStream,
  type ServerState,
  slicesOf,
} from './server-state.js';
import { frameResponse, ownFields, httpDate } from './header-block.js';
import type { NodeSource } from './node-source.js';

/** Requests on a connection that may always run concurrently: as many as a browser's HTTP/1.1 connections. */
const freeRequests = 6;
/** Bytes of a connection's unread responses beyond which further requests wait. */
const maxWaitingBytes = 1_048_576;
/** Milliseconds between a 408 to the reader of a body that does not arrive and the stream's end. */
const lingerMs = 1000;
const maxCheckMs = 1000;

/** A server's open HTTP/2 connections. One interval checks all of their timeouts. */
export class Http2Sessions {
  readonly #service: ServerState;
  readonly #open = new Map<Http2Session, SessionRequests>();
  #timer: NodeJS.Timeout | undefined;

  constructor(service: ServerState) {
    this.#service = service;
  }

  add(session: Http2Session): void {
    const requests = new SessionRequests(session, this.#service);
    this.#open.set(session, requests);
    session.once('close', () => this.#open.delete(session));
    const { requestTimeout, writeTimeout } = this.#service.limits;
    this.#timer ??= setInterval(
      () => {
        for (const each of this.#open.values()) each.check(performance.now());
      },
      Math.min(maxCheckMs, requestTimeout / 4, writeTimeout / 4),
    ).unref();
  }

  /** Begins a stream's request, immediately or once its connection has read enough of its other responses. */
  arrive(stream: ServerHttp2Stream, source: NodeSource): void {
    if (isReset(stream) || stream.session === undefined) return; // CVE-2023-44487: it was reset before it began
    this.#open.get(stream.session)?.arrive(stream, source);
  }

  /** Closes idle connections, and busy ones after their responses. */
  close(): void {
    for (const session of this.#open.keys()) session.close();
  }

  destroy(): void {
    for (const session of this.#open.keys()) session.destroy();
  }

  unwatch(): void {
    clearInterval(this.#timer);
  }
}

/** One request on a connection, from its arrival to the end of its stream. */
interface StreamRequest {
  readonly stream: ServerHttp2Stream;
  readonly exchange: ConnectionExchange;
  readonly writer: Http2Writer;
  readonly since: number;
  isBegun: boolean;
}

/**
 * One connection's requests. Responses that the client does not read stay in memory, and one connection can send a
 * hundred requests. So beyond `freeRequests`, a request begins only while the unread responses are below
 * `maxWaitingBytes`; a response of unknown size counts as the largest response that the server has sent.
 */
class SessionRequests {
  readonly #session: Http2Session;
  readonly #service: ServerState;
  readonly #requests = new Set<StreamRequest>();
  readonly #queue: { readonly request: StreamRequest; readonly begin: () => void }[] = [];
  #begun = 0;
  /** Bytes delivered by responses on ended streams. */
  #endedBytes = 0;
  #deliveredBytes = 0;
  #deliveredAt = performance.now();
  #usedAt = performance.now();

  constructor(session: Http2Session, service: ServerState) {
    this.#session = session;
    this.#service = service;
  }

  arrive(stream: ServerHttp2Stream, source: NodeSource): void {
    const writer = new Http2Writer(stream, source, this.#service);
    const exchange = new ConnectionExchange(source, writer, this.#service);
    const request = { stream, exchange, writer, since: performance.now(), isBegun: false };
    this.#requests.add(request);
    stream.once('close', () => this.#end(request));
    setImmediate(() => {
      if (this.#queue.length === 0 && this.#mayBegin()) this.#begin(request);
      // Bound to its own asynchronous context: it begins in another request's callback.
      else this.#queue.push({ request, begin: AsyncResource.bind(() => this.#begin(request)) });
    });
  }

  /** Ends streams and sessions that exceed the time limits. */
  check(now: number): void {
    const { requestTimeout, writeTimeout } = this.#service.limits;
    for (const request of this.#requests)
      if (now - request.since >= requestTimeout && !hasArrived(request.stream))
        timeOut(request, now - requestTimeout);
    const delivered = this.#delivered();
    if (delivered !== this.#deliveredBytes || !this.#isSending()) {
      this.#deliveredBytes = delivered;
      this.#deliveredAt = now;
    } else if (now - this.#deliveredAt >= writeTimeout) this.#session.destroy();
    if (this.#requests.size > 0) this.#usedAt = now;
    else if (now - this.#usedAt >= requestTimeout) {
      if (this.#session.closed) this.#session.destroy();
      else this.#session.close(); // lets the client retry elsewhere the request that it is sending
    }
    this.#beginWaiting();
  }

  #begin(request: StreamRequest): void {
    if (isReset(request.stream)) return request.exchange.close();
    request.isBegun = true;
    this.#begun += 1;
    request.exchange.start();
  }

  #beginWaiting(): void {
    if (this.#queue.length === 0 || !this.#mayBegin()) return;
    this.#queue.shift()?.begin();
    if (this.#queue.length > 0) setImmediate(() => this.#beginWaiting());
  }

  #end(request: StreamRequest): void {
    request.exchange.close();
    if (!this.#requests.delete(request)) return;
    this.#endedBytes += request.writer.deliveredBytes;
    if (request.isBegun) this.#begun -= 1;
    else {
      const index = this.#queue.findIndex((one) => one.request === request);
      if (index !== -1) this.#queue.splice(index, 1);
    }
    if (this.#queue.length > 0) setImmediate(() => this.#beginWaiting());
  }

  #mayBegin(): boolean {
    return this.#begun < freeRequests || this.#waitingBytes() < maxWaitingBytes;
  }

  /** Bytes that the client has not read yet, plus those that requests in progress may add. */
  #waitingBytes(): number {
    let bytes = 0;
    for (const { isBegun, writer } of this.#requests)
      if (isBegun) bytes += writer.isSending ? writer.waitingBytes : this.#service.largestAnswer;
    return bytes;
  }

  #isSending(): boolean {
    for (const { writer } of this.#requests) if (writer.waitingBytes > 0) return true;
    return false;
  }

  #delivered(): number {
    let bytes = this.#endedBytes;
    for (const { writer } of this.#requests) bytes += writer.deliveredBytes;
    return bytes;
  }
}

/** Makes the reader of a missing body fail with 408, and destroys the stream if that does not end it. */
function timeOut({ exchange, writer, isBegun, since }: StreamRequest, latest: number): void {
  exchange.source.failBody(failureError(httpErrors.create('HTTP_REQUEST_TIMEOUT', {})));
  if (!isBegun || since <= latest - lingerMs) writer.destroy();
}

/** Whether the whole request has arrived, read or not. */
function hasArrived(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.endAfterHeaders || stream.state.remoteClose === 1;
}

function isReset({ destroyed, closed, aborted }: ServerHttp2Stream): boolean {
  return destroyed || closed || aborted;
}

/** NO_ERROR of RFC 9113, section 7. Node's constant would load the HTTP/2 module in processes that do not use it. */
const noError = 0x00;
const sliceBytes = 32_768;

/** Writes one HTTP/2 response (RFC 9113), without connection fields; the stream frames the body. */
class Http2Writer implements ReplyWriter {
  readonly #stream: ServerHttp2Stream;
  readonly #source: NodeSource;
  readonly #service: ServerState;
  headers: readonly string[] = [];
  bodyBytes = 0;
  #wholeBytes = 0;

  constructor(stream: ServerHttp2Stream, source: NodeSource, service: ServerState) {
    this.#stream = stream;
    this.#source = source;
    this.#service = service;
  }

  get isComplete(): boolean {
    // Not `writableFinished`: Node does not set it when both sides of a stream have ended.
    const { writableEnded, rstCode, aborted } = this.#stream;
    return this.headers.length > 0 && writableEnded && rstCode === 0 && !aborted;
  }

  get reachedNobody(): boolean {
    return this.headers.length === 0;
  }

  /** Whether the response is known: `waitingBytes` of it are still in memory. */
  get isSending(): boolean {
    return this.headers.length > 0;
  }

  get waitingBytes(): number {
    return Math.max(0, this.#wholeBytes - this.bodyBytes) + this.#stream.writableLength;
  }

  get deliveredBytes(): number {
    return this.bodyBytes - this.#stream.writableLength;
  }

  destroy(): void {
    // Not `close`: that ends the stream before it resets it, so a truncated answer would look complete to the client.
    // With an error, which Node does not report anywhere, the stream is reset with INTERNAL_ERROR.
    this.#stream.destroy(new Error('The response was cut off.'));
  }

  send(response: HttpResponse, request: HttpRequest): void {
    const { method } = this.#source;
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) {
      stopBody(response.body); // the stream's close event ends the exchange
      return;
    }
    const { status, body } = response;
    assertStatus(status);
    const framing = frameResponse(response, method, { kind: 'none' });
    const headers = ownFields(response);
    headers.push('date', httpDate());
    if (framing.kind === 'length') headers.push('content-length', String(framing.length));
    const bodiless = isBodiless(method, status) || body === null;
    stream.respond(fieldRecord(status, headers), { endStream: bodiless });
    this.headers = headers;
    stream.once('finish', () => this.#discardRest());
    if (bodiless) {
      stopBody(body);
      return;
    }
    const declared = framing.kind === 'length' ? framing.length : undefined;
    if (typeof body === 'string' || body instanceof Uint8Array) {
      this.#wholeBytes = declared ?? body.length;
      this.#service.largestAnswer = Math.max(this.#service.largestAnswer, this.#wholeBytes);
      if (this.#wholeBytes <= sliceBytes) {
        this.bodyBytes = this.#wholeBytes;
        stream.end(body);
        return;
      }
    }
    const sent = typeof body === 'string' || body instanceof Uint8Array ? slicesOf(body, sliceBytes) : body;
    sendStream(sent, stream, { declared, request, service: this.#service, writer: this });
  }

  /** Closes the stream after the response, so that the client stops sending the rest of its body. */
  #discardRest(): void {
    if (!this.#stream.readableEnded && !this.#stream.closed) this.#stream.close(noError);
  }
}

/** Returns the fields as Node's HTTP/2 expects them: lower-case names, lists for repeated ones, null prototype. */
function fieldRecord(status: number, flat: readonly string[]): OutgoingHttpHeaders {
  const record = Object.create(null) as OutgoingHttpHeaders; // empty, so it satisfies any record type
  record[':status'] = status;
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const values = (record[(flat[index] ?? '').toLowerCase()] ??= []);
    if (Array.isArray(values)) values.push(flat[index + 1] ?? '');
  }
  return record;
}
