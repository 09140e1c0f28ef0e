import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { statusText } from '#core/errors';
import type { HttpRequest } from '../request/http-request.js';
import type { HttpResponse } from '../response/http-response.js';
import {
  assertStatus,
  isBodiless,
  stopBody,
  isStreamedBody,
  type StreamedBody,
} from '../response/response-body.js';
import { type ReplyWriter, sendStream, type ServerState, slicesOf } from './server-state.js';
import { findField } from '../headers/request-headers.js';
import { frameResponse, type Framing, headText, headerBlock } from './header-block.js';
import { staysOpen, takesChunks, type OneWriteResponse } from './fast/node-internals.js';
import type { NodeSource } from './node-source.js';

/** Bytes of an unread body up to which Node discards it on its own. */
const smallRestBytes = 65_536;
/** Time and size limits for draining an unwanted body, so that its sender can read the response. */
const drainMs = 2000;
const maxDrainedBytes = 16 * 1_048_576;
const largeBodyBytes = 65_536;
/**
 * In-memory bodies of at least this size are written in slices, to know how much a client that leaves could have
 * received.
 */
const slicedBodyBytes = 1_048_576;
const sliceBytes = 262_144;
/** Maximum consecutive write timeouts without output to a client that has closed its side. */
const maxPauses = 10;

/** Writes one HTTP/1.x response. Small text bodies are sent with the head in one write. */
export class Http1Writer implements ReplyWriter {
  readonly #message: IncomingMessage;
  readonly #reply: OneWriteResponse;
  readonly #source: NodeSource;
  readonly #service: ServerState;
  #isFlushed = false;
  /** The TCP connection on which a write has shown whether a half-closed client was still there. */
  #probed: Socket | undefined;
  #cameTooLate = false;
  headers: readonly string[] = [];
  head: string | undefined;
  bodyBytes = 0;
  /** Called when the response is flushed while the request's body is still being drained. */
  onFlushed: (() => void) | undefined;

  constructor(message: IncomingMessage, reply: OneWriteResponse, source: NodeSource, service: ServerState) {
    this.#message = message;
    this.#reply = reply;
    this.#source = source;
    this.#service = service;
  }

  get isComplete(): boolean {
    if (this.#isFlushed) return true;
    // `writableFinished` is also true if the last write failed, so the socket is checked as well.
    const { destroyed, writableFinished, errored } = this.#message.socket;
    if (errored !== null || (this.#probed?.errored ?? null) !== null) return false;
    return this.#reply.writableFinished && (!destroyed || writableFinished);
  }

  get reachedNobody(): boolean {
    return !this.isComplete && (this.#cameTooLate || this.headers.length === 0);
  }

  destroy(): void {
    this.#reply.destroy();
  }

  send(response: HttpResponse, request: HttpRequest): void {
    const { status, body } = response;
    const { method } = this.#source;
    assertStatus(status);
    const framing = frameResponse(
      response,
      method,
      takesChunks(this.#reply, this.#message) ? chunkedFraming : closeFraming,
    );
    const mustDrain = this.#hasLargeRest();
    const keepsAlive = !mustDrain && this.#canBeKept(framing);
    if (!keepsAlive) this.#service.closingSockets.add(this.#message.socket);
    else if (this.#source.hasBody && !this.#source.isComplete) {
      this.#service.unread.set(this.#message.socket, this.#source);
    }
    const headers = headerBlock(response, framing, keepsAlive ? this.#service.keepAlive : undefined);
    if (isStreamedBody(body)) {
      this.#probeAtEnd();
      this.#reply.writeHead(status, statusText(status), headers);
      this.headers = headers;
      const declared = framing.kind === 'length' ? framing.length : undefined;
      this.#sendStream(body, { request, status, declared });
      return;
    }
    if (this.#message.socket.readableEnded) {
      this.#cameTooLate = true;
      this.#probeAtEnd();
    }
    const sent = isBodiless(method, status) || body === null ? '' : body;
    const bytes = sent !== '' && framing.kind === 'length' ? framing.length : 0;
    if (bytes >= slicedBodyBytes && !mustDrain) {
      this.#reply.writeHead(status, statusText(status), headers);
      this.headers = headers;
      this.#sendStream(slicesOf(sent, sliceBytes), { request, status, declared: bytes });
      return;
    }
    const reason = statusText(status);
    const head = headText(status, reason, headers);
    const isWhole =
      keepsAlive &&
      bytes <= largeBodyBytes &&
      typeof sent === 'string' &&
      this.#reply.sendWhole(status, reason, { head, body: sent, bytes });
    if (isWhole) this.head = head;
    else this.#reply.writeHead(status, reason, headers);
    this.headers = headers;
    this.bodyBytes = bytes;
    if (!isWhole) {
      // Bytes, because with a text Node would encode the head in the text's encoding, and would buffer up to three bytes
      // per character for a slow client.
      const sentBytes = typeof sent === 'string' ? Buffer.from(sent) : sent;
      if (mustDrain) this.#endAfterDrain(sentBytes);
      else this.#reply.end(sentBytes.byteLength === 0 ? undefined : sentBytes);
    }
    if (this.#message.socket.writableLength > 0) this.#limitWaiting();
  }

  /**
   * A client that has closed its side may still read, or be gone. If it is gone, its system refuses further data, which
   * only another write reveals. An empty write fails in the same way, and sends nothing to a client that is still there.
   * Over TLS, Node reports that failure only for the TCP connection.
   */
  #probeAtEnd(): void {
    this.#reply.prependOnceListener('finish', () => {
      const { socket } = this.#message;
      if (!socket.readableEnded) return;
      this.#probed = this.#service.tcpSocketOf(socket);
      if (this.#probed.writable) this.#probed.write('');
    });
  }

  /** Whether the connection stays open for another request. */
  #canBeKept(framing: Framing): boolean {
    const { expectsContinue, failure, isBroken } = this.#source;
    return (
      staysOpen(this.#reply) &&
      !expectsContinue && // the client still waits for `100 Continue`, and takes this response as a refusal
      framing.kind !== 'close' &&
      !this.#service.stopping.aborted &&
      failure === undefined &&
      !isBroken
    );
  }

  #sendStream(
    body: StreamedBody,
    options: { request: HttpRequest; status: number; declared: number | undefined },
  ): void {
    if (isBodiless(this.#source.method, options.status)) {
      stopBody(body);
      this.#reply.end();
      return;
    }
    this.#reply.flushHeaders();
    this.#limitWaiting();
    const { declared, request } = options;
    sendStream(body, this.#reply, { declared, request, service: this.#service, writer: this });
  }

  /** Destroys the connection if pending output makes no progress within the write timeout. */
  #limitWaiting(): void {
    const { socket } = this.#reply;
    if (socket === null || socket.destroyed) return;
    const { writeTimeout } = this.#service.limits;
    socket.setTimeout(writeTimeout);
    // The timeout applies to this response only. Prepended, because over TLS Node's own `finish` listener then sets the
    // keep-alive timeout.
    this.#reply.prependOnceListener('finish', () => socket.setTimeout(0));
    let written = -1;
    let pauses = 0;
    this.#reply.on('timeout', () => {
      // A silent stream is not an error. But if the client has closed its side, only a write can show whether it is still
      // connected, so silence towards it is limited.
      pauses = socket.readableEnded && socket.bytesWritten === written ? pauses + 1 : 0;
      written = socket.bytesWritten;
      if (socket.writableLength > 0 || pauses === maxPauses) socket.destroy();
      else socket.setTimeout(writeTimeout);
    });
  }

  #hasLargeRest(): boolean {
    const { hasBody, isComplete, expectsContinue } = this.#source;
    if (!hasBody || isComplete || expectsContinue) return false;
    const length = findField(this.#message.rawHeaders, 'content-length');
    return length === undefined || Number(length) > smallRestBytes;
  }

  /**
   * Ends the response after draining the body, within limits: closing with unread bytes would make the client lose the
   * response.
   */
  #endAfterDrain(body: Uint8Array): void {
    this.#reply.write(body, () => {
      this.#isFlushed = true;
      this.onFlushed?.();
    });
    let taken = 0;
    const { socket } = this.#message;
    const end = (): void => {
      clearTimeout(timer);
      socket.off('end', end);
      this.#message.off('data', take).off('end', end).off('close', end);
      this.#reply.end();
    };
    const take = (chunk: Uint8Array): void => {
      taken += chunk.byteLength;
      if (taken > maxDrainedBytes) end();
    };
    const timer = setTimeout(end, drainMs).unref();
    this.#message.once('end', end).once('close', end).on('data', take).resume();
    if (socket.readableEnded) end();
    else socket.once('end', end); // once the client has closed its side, nothing more will arrive
  }
}

const chunkedFraming = Object.freeze({ kind: 'chunked' } as const);
const closeFraming = Object.freeze({ kind: 'close' } as const);
