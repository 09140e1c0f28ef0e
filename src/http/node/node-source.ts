import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { isClientGone } from '../source/is-client-gone.js';
import { peerOf, withoutPseudoHeaders } from '../source/message-facts.js';
import type { Peer, RequestSource, RequestBodySource } from '../source/request-source.js';
import { RequestHeaders } from '../headers/request-headers.js';
import type { Readable } from 'node:stream';
import { badRequest } from '../failures/bad-request.js';
import { httpErrors } from '../failures/error-codes.js';

/** The other ends of plain connections, of which nothing changes from request to request. */
const peers = new WeakMap<Socket, Peer>();

function knownPeer(socket: Socket): Peer {
  let peer = peers.get(socket);
  if (peer !== undefined) return peer;
  peer = peerOf(socket);
  // One that is cut off already has no address any more.
  if (!peer.encrypted && peer.address !== undefined) peers.set(socket, peer);
  return peer;
}

/** A message that Node has parsed, read lazily: parts that are not requested are never read. */
export class NodeSource implements RequestSource {
  readonly reply: ServerResponse | Http2ServerResponse;
  readonly #message: IncomingMessage | Http2ServerRequest;
  #peer: Peer | undefined;
  #headers: RequestHeaders | undefined;
  #body: NodeBody | undefined;
  #hasBody: boolean | undefined;
  #abort: AbortController | undefined;
  #gone = false;
  /** The client waits for `100 Continue` before it sends the body. */
  expectsContinue = false;
  /** The rest of the connection cannot be understood: it ends with this answer. */
  isBroken = false;
  failure: Error | undefined;

  constructor(message: IncomingMessage | Http2ServerRequest, reply: ServerResponse | Http2ServerResponse) {
    this.#message = message;
    this.reply = reply;
    if (message.httpVersionMajor >= 2) this.#peer = peerOf(message.socket); // its socket is not to be asked once the session has ended
  }

  get method(): string {
    return this.#message.method ?? '';
  }

  get target(): string {
    return this.#message.url ?? '';
  }

  get httpVersion(): string {
    const { httpVersion } = this.#message;
    return httpVersion === '1.1' ? '1.1' : httpVersion; // one text for all, which maps find faster than a new one
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
    return (this.#peer ??= knownPeer(this.#message.socket));
  }

  get body(): NodeBody | undefined {
    if (!this.hasBody) return undefined;
    return (this.#body ??= new NodeBody(this.#message, () => this.#continue()));
  }

  /** Whether the client announced a body. */
  get hasBody(): boolean {
    return (this.#hasBody ??=
      this.#message.httpVersionMajor >= 2 ? !this.#emptyStream() : announcesBody(this.headers));
  }

  /** Whether everything the client announced has arrived. */
  get isComplete(): boolean {
    return this.#message.complete;
  }

  /** The connection that is the request's alone until it is answered; those of HTTP/2 are shared. */
  get socket(): Socket | undefined {
    return this.#message.httpVersionMajor < 2 ? this.#message.socket : undefined;
  }

  get signal(): AbortSignal {
    if (this.#abort !== undefined) return this.#abort.signal;
    this.#abort = new AbortController();
    const socket = this.#message.httpVersionMajor < 2 ? this.#message.socket : undefined;
    if (this.#gone || socket?.readableEnded === true) this.#abort.abort();
    else socket?.once('end', () => this.abort());
    return this.#abort.signal;
  }

  /** The client is gone before the end, or has closed its side, which mostly means the same. */
  abort(): void {
    this.#gone = true;
    this.#abort?.abort();
  }

  /** Whether an error says only that the client is gone, to whoever was notified by `signal`. */
  isGoneBy(error: unknown): boolean {
    return isClientGone(error, { signal: this.#abort?.signal });
  }

  /** The rest of the body cannot be read: its reader gets the error. */
  failBody(failure: Error): void {
    this.isBroken = true;
    this.body?.fail(failure);
  }

  #continue(): void {
    if (!this.expectsContinue || this.reply.headersSent) return;
    this.expectsContinue = false;
    this.reply.writeContinue();
  }

  #emptyStream(): boolean {
    return 'stream' in this.#message && this.#message.stream.endAfterHeaders;
  }
}

/** RFC 9112 section 6.3: a length that is not 0, or a transfer coding. */
function announcesBody(headers: RequestHeaders): boolean {
  return (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding');
}

/** An incoming message of HTTP/1.1 or HTTP/2, as far as its body goes. */
interface IncomingBody extends Readable {
  /** True once the whole message has arrived. */
  readonly complete: boolean;
}

/** The body of a message on a socket. It can fail without the socket being lost, so that the failure can be answered. */
class NodeBody implements RequestBodySource {
  readonly #message: IncomingBody;
  readonly #begin: (() => void) | undefined;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `begin` is called before the first read: where the client waits for `100 Continue`. */
  constructor(message: IncomingBody, begin?: () => void) {
    this.#message = message;
    this.#begin = begin;
  }

  /** Lets the reader, now or later, fail with this error. */
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
    this.#wake = undefined; // resolving a promise again costs Node a look at its hooks
    wake?.();
  }

  #awake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Chunks until others get their turn. One packet can hold ten thousand of a byte each; what waits is joined by then. */
const maxReadsInARow = 64;
const wakingEvents = ['readable', 'end', 'error', 'close', 'aborted'] as const;
