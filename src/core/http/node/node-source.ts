import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { CodedError } from '#core/coded-error';
import {
  peerOf,
  withoutPseudoHeaders,
  type Peer,
  type RequestSource,
  type RequestBodySource,
} from '../source/request-source.js';
import { RequestHeaders } from '../headers/request-headers.js';
import type { Readable } from 'node:stream';
import { badRequest, httpErrors } from '../failures/error-codes.js';

/** A message parsed by Node, as a source for requests. Each part is read on first use. */
export class NodeSource implements RequestSource {
  readonly reply: ServerResponse | Http2ServerResponse;
  readonly #message: IncomingMessage | Http2ServerRequest;
  #peer: Peer | undefined;
  #headers: RequestHeaders | undefined;
  #body: NodeBody | undefined;
  #hasBody: boolean | undefined;
  #abort: AbortController | undefined;
  #onEnd: (() => void) | undefined;
  #isGone = false;
  #isOver = false;
  /** The client waits for `100 Continue` before it sends the body. */
  expectsContinue = false;
  /** Whether the rest of the connection cannot be parsed, so that it must close after this response. */
  isBroken = false;
  failure: CodedError | undefined;

  constructor(message: IncomingMessage | Http2ServerRequest, reply: ServerResponse | Http2ServerResponse) {
    this.#message = message;
    this.reply = reply;
    if (message.httpVersionMajor >= 2) this.#peer = peerOf(message.socket); // read now: the socket is not accessible once the session has ended
  }

  get method(): string {
    return this.#message.method ?? '';
  }

  get target(): string {
    return this.#message.url ?? '';
  }

  get httpVersion(): string {
    const { httpVersion } = this.#message;
    return httpVersion === '1.1' ? '1.1' : httpVersion; // a shared constant: maps find it faster than a new string
  }

  get rawHeaders(): readonly string[] {
    return this.headers.raw;
  }

  get headers(): RequestHeaders {
    const { rawHeaders, httpVersionMajor } = this.#message;
    return (this.#headers ??= new RequestHeaders(
      Object.freeze(httpVersionMajor < 2 ? rawHeaders : withoutPseudoHeaders(rawHeaders)),
    ));
  }

  get authority(): string | undefined {
    return 'authority' in this.#message && this.#message.authority !== ''
      ? this.#message.authority
      : undefined;
  }

  get peer(): Peer {
    return (this.#peer ??= peerOf(this.#message.socket));
  }

  get body(): NodeBody | undefined {
    if (!this.hasBody) return undefined;
    return (this.#body ??= new NodeBody(this.#message, () => this.#continue()));
  }

  /** Whether the client announced a body. */
  get hasBody(): boolean {
    return (this.#hasBody ??=
      this.#message.httpVersionMajor >= 2 ? !endsAtOnce(this.#message) : announcesBody(this.headers));
  }

  /** Whether the whole message has arrived. */
  get isComplete(): boolean {
    return this.#message.complete;
  }

  /** An HTTP/1 request's connection; undefined for HTTP/2, where requests share one. */
  get socket(): Socket | undefined {
    return this.#message.httpVersionMajor < 2 ? this.#message.socket : undefined;
  }

  get signal(): AbortSignal {
    if (this.#abort !== undefined) return this.#abort.signal;
    this.#abort = new AbortController();
    if (this.#isGone || this.socket?.readableEnded === true) this.#abort.abort();
    else if (!this.#isOver && this.socket !== undefined) {
      this.#onEnd = () => this.abort();
      this.socket.once('end', this.#onEnd);
    }
    return this.#abort.signal;
  }

  /** Called when the client disconnects before the end or closes its side, which usually means the same. */
  abort(): void {
    this.#isGone = true;
    this.#abort?.abort();
  }

  /**
   * Called when the request is over: its connection, which may serve many more requests, must no longer refer to it.
   */
  release(): void {
    this.#isOver = true;
    if (this.#onEnd !== undefined) this.socket?.off('end', this.#onEnd);
  }

  /** Makes the body's reader fail: the rest of the body cannot be parsed. */
  failBody(failure: Error): void {
    this.isBroken = true;
    this.body?.fail(failure);
  }

  #continue(): void {
    if (!this.expectsContinue || this.reply.headersSent) return;
    this.expectsContinue = false;
    this.reply.writeContinue();
  }
}

function endsAtOnce(message: IncomingMessage | Http2ServerRequest): boolean {
  return 'stream' in message && message.stream.endAfterHeaders;
}

/** Whether the header announces a body: a Content-Length that is not 0, or a transfer coding (RFC 9112 section 6.3). */
function announcesBody(headers: RequestHeaders): boolean {
  return (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding');
}

interface IncomingBody extends Readable {
  /** True once the whole message has arrived. */
  readonly complete: boolean;
}

/** A message's body. It can fail while the socket stays open, so that the failure can be answered. */
class NodeBody implements RequestBodySource {
  readonly #message: IncomingBody;
  readonly #begin: (() => void) | undefined;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `begin` is called before the first read; it sends `100 Continue` if the client waits for it. */
  constructor(message: IncomingBody, begin?: () => void) {
    this.#message = message;
    this.#begin = begin;
  }

  /** Makes the current or a later reader fail with this error. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#rouse();
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const message = this.#message;
    this.#begin?.();
    const wake = (): void => this.#rouse();
    for (const event of wakingEvents) message.on(event, wake);
    let rounds = 0;
    try {
      while (!message.readableEnded) {
        const chunk: unknown = this.#failure === undefined ? message.read() : null;
        if (chunk instanceof Uint8Array) yield chunk;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (message.readableEnded) return;
        else if (message.destroyed) throw badRequest(httpErrors.create('HTTP_BODY_ABORTED', {}));
        else await this.#awake();
        if (++rounds % maxReadsInARow === 0) await new Promise(setImmediate);
      }
    } finally {
      for (const event of wakingEvents) message.off(event, wake);
    }
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = undefined; // resolving a promise twice makes Node run its hooks for nothing
    wake?.();
  }

  #awake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Reads before yielding to the event loop. A packet can hold ten thousand one-byte chunks; those that wait are joined. */
const maxReadsInARow = 64;
const wakingEvents = ['readable', 'end', 'error', 'close', 'aborted'] as const;
