import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { statusText } from '#core/errors';
import { HttpRequest } from '../request/http-request.js';
import { HttpResponse, type SentResponse, ClientGoneResponse } from '../response/http-response.js';
import type { TrustPolicy } from '../trust/trust-policy.js';
import { PipelinedRequests } from './fast/pipelined-requests.js';
import type { NodeSource } from './node-source.js';
import { type NodeServerOptions, type ServerLimits, serverLimitsOf } from './server-options.js';
import type { Writable } from 'node:stream';
import { stopBody, type StreamedBody, pumpBody } from '../response/response-body.js';
import { isClientGone } from '../source/request-source.js';

export class ServerState {
  readonly limits: ServerLimits;
  readonly trust: TrustPolicy | undefined;
  /**
   * The requests in flight, in the order they were read. Not a Set, whose old hash tables keep removed elements alive
   * until a full GC.
   */
  readonly inFlight: ConnectionExchange[] = [];
  readonly sockets: Set<Socket> = new Set();
  /** Connections whose last answer is being sent; further bytes on them are ignored. */
  readonly closingSockets: WeakSet<Socket> = new WeakSet();
  /** Requests that were answered before their whole body had arrived. */
  readonly unread: WeakMap<Socket, NodeSource> = new WeakMap();
  readonly pipelined: PipelinedRequests = new PipelinedRequests();
  readonly terminating: Set<Promise<unknown>> = new Set();
  readonly keepAlive: string;
  readonly options: NodeServerOptions;
  /** Size in bytes of the largest HTTP/2 response that was completely in memory. */
  largestAnswer = 0;
  readonly #stopping = new AbortController();
  /**
   * TCP connections by peer: Node does not expose the TCP connection below a TLS connection, but both have the same
   * peer.
   */
  readonly #tcpSockets = new Map<string, Socket>();
  readonly #below = new WeakMap<Socket, Socket>();

  constructor(options: NodeServerOptions) {
    this.options = options;
    const limits = serverLimitsOf('createNodeServer()', options.limits);
    // The header block is part of the request: Node refuses a longer timeout for it.
    this.limits = { ...limits, headerTimeout: Math.min(limits.headerTimeout, limits.requestTimeout) };
    setMaxListeners(0, this.#stopping.signal); // one for each live stream and WebSocket
    this.trust = options.trust;
    this.keepAlive = `timeout=${Math.max(1, Math.floor(this.limits.keepAliveTimeout / 1000))}`;
  }

  /** Aborted when the server begins to stop: connections close as their responses end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  beginStop(): void {
    this.#stopping.abort();
  }

  noteSocket(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** Registers a TLS server's TCP connection before its handshake. */
  noteTcpSocket(socket: Socket): void {
    const peer = peerKeyOf(socket);
    this.#tcpSockets.set(peer, socket);
    this.noteSocket(socket);
    socket.once('close', () => {
      if (this.#tcpSockets.get(peer) === socket) this.#tcpSockets.delete(peer);
    });
  }

  /**
   * Registers a TLS connection, in addition to the TCP connection below it: only the TLS connection counts the bytes of
   * requests.
   */
  noteTlsSocket(socket: Socket): void {
    const below = this.#tcpSockets.get(peerKeyOf(socket));
    if (below !== undefined) this.#below.set(socket, below);
    this.noteSocket(socket);
  }

  /** Returns a socket's TCP connection: the one below a TLS connection, otherwise the socket itself. */
  tcpSocketOf(socket: Socket): Socket {
    return this.#below.get(socket) ?? socket;
  }

  inFlightOn(socket: Socket): ConnectionExchange[] {
    return this.inFlight.filter(({ source }) => source.socket === socket);
  }

  /** Returns the application's response, or a plain one with `status` if it fails. Never rejects. */
  async respond(request: HttpRequest, status: number): Promise<HttpResponse> {
    try {
      return await this.options.handle(request);
    } catch (error) {
      this.report(error, request);
      return this.plainResponse(status);
    }
  }

  /** Notifies the application that a response is finished; reports the callback's errors. */
  terminate(request: HttpRequest, response: HttpResponse, sent: SentResponse): void {
    try {
      const ending = this.options.terminate?.(request, response, sent);
      if (ending instanceof Promise) this.#await(ending, request);
    } catch (error) {
      this.report(error, request);
    }
  }

  #await(ending: Promise<void>, request: HttpRequest): void {
    const settled: Promise<unknown> = ending.then(
      () => this.terminating.delete(settled),
      (error: unknown) => {
        this.terminating.delete(settled);
        this.report(error, request);
      },
    );
    this.terminating.add(settled);
  }

  /** Passes an error to the application's `onError`. Never throws. */
  report(error: unknown, request?: HttpRequest): void {
    try {
      this.options.onError?.(error, request);
    } catch {
      // there is nowhere left to report a failing error handler
    }
  }

  /** Creates a response without calling the application. */
  plainResponse(status: number): HttpResponse {
    const headers = { ...this.options.plainHeaders, 'X-Content-Type-Options': 'nosniff' };
    return HttpResponse.text(`${status} ${statusText(status)}\n`, { status, headers });
  }
}

function peerKeyOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Writes a response to the connection. Implemented for HTTP/1.1 and for HTTP/2. */
export interface ReplyWriter extends Pick<SentResponse, 'headers' | 'head' | 'bodyBytes'> {
  /**
   * Starts sending. From then on, `headers` and `bodyBytes` describe the data sent. Throws only before the first byte.
   */
  send(response: HttpResponse, request: HttpRequest): void;
  /** Whether the whole response was flushed. */
  readonly isComplete: boolean;
  /** Whether the client disconnected before the first byte of an incomplete response. */
  readonly reachedNobody: boolean;
  destroy(): void;
}

/**
 * One request in flight. Each of its steps happens once, even if something throws or the client disconnects at any
 * time.
 */
export class ConnectionExchange {
  readonly source: NodeSource;
  readonly request: HttpRequest;
  readonly #service: ServerState;
  readonly #writer: ReplyWriter;
  #response: HttpResponse | undefined;
  #isBegun = false;
  #isClosed = false;
  #onOver: (() => void) | undefined;

  constructor(source: NodeSource, writer: ReplyWriter, service: ServerState) {
    this.source = source;
    this.#writer = writer;
    this.#service = service;
    this.request = new HttpRequest(source, service);
    service.inFlight.push(this);
  }

  start(): void {
    if (this.#isClosed) return;
    this.#isBegun = true;
    this.begin();
  }

  /** Marks the request as read: it will be handled even if its client disconnects first. */
  accept(): void {
    this.#isBegun = true;
  }

  begin(): void {
    try {
      const answer = this.#service.options.handle(this.request);
      if (answer instanceof Promise) {
        answer.then(
          (response) => this.#answer(response),
          (error: unknown) => this.#fail(error),
        );
      } else this.#answer(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Called when the connection or stream has finished this exchange or was cut off. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#writer.isComplete) this.source.abort();
    this.source.release();
    if (this.#response !== undefined) this.#over(this.#response);
    else if (!this.#isBegun) this.#finish();
  }

  afterwards(then: () => void): void {
    this.#onOver = then;
  }

  #answer(response: HttpResponse): void {
    this.#response = response;
    response.seal();
    if (this.#isClosed) {
      stopBody(response.body);
      this.#over(response);
      return;
    }
    if (response instanceof ClientGoneResponse) {
      this.#writer.destroy(); // the client may have closed only its side; the close event then ends the exchange
      return;
    }
    try {
      this.#writer.send(response, this.request);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#service.report(error, this.request);
    const plain = this.#service.plainResponse(500);
    if (this.#isClosed || this.#writer.headers.length > 0) {
      this.#response ??= plain;
      this.#writer.destroy();
      if (this.#isClosed) this.#over(this.#response);
      return;
    }
    this.#response = plain;
    try {
      this.#writer.send(plain, this.request);
    } catch (second) {
      this.#service.report(second, this.request);
      this.#writer.destroy();
    }
  }

  #over(response: HttpResponse): void {
    this.#service.terminate(
      this.request,
      response,
      this.#writer.reachedNobody ? sentToNobody(response) : this.#sent(response),
    );
    this.#finish();
  }

  #sent({ status }: HttpResponse): SentResponse {
    return {
      status,
      headers: Object.freeze(this.#writer.headers),
      head: this.#writer.head,
      bodyBytes: this.#writer.bodyBytes,
      completed: this.#writer.isComplete,
    };
  }

  #finish(): void {
    const { inFlight } = this.#service;
    const index = inFlight[0] === this ? 0 : inFlight.lastIndexOf(this); // most end in the order they arrived
    if (index !== -1) inFlight.splice(index, 1);
    this.#onOver?.();
  }
}

/**
 * The response to report if the client left before it was sent. An error keeps its status, which the access log
 * explains.
 */
function sentToNobody({ status }: HttpResponse): SentResponse {
  const shown = status >= 500 ? status : new ClientGoneResponse().status;
  return { status: shown, headers: Object.freeze([]), bodyBytes: 0, completed: false };
}

interface StreamSending {
  /** The declared Content-Length in bytes, if any. */
  readonly declared: number | undefined;
  readonly request: HttpRequest;
  readonly service: ServerState;
  readonly writer: { bodyBytes: number; destroy(): void };
}

/** Sends a streamed body and ends the sink. Reports failures, except for a client that disconnected. */
export function sendStream(
  body: StreamedBody,
  sink: Writable,
  { declared, request, service, writer }: StreamSending,
): void {
  const onBytes = (count: number): void => void (writer.bodyBytes += count);
  pumpBody(body, sink, { declared, onBytes }).then(
    (ended) => {
      if (ended) sink.end();
    },
    (error: unknown) => {
      if (!isClientGone(error, request)) service.report(error, request);
      writer.destroy(); // cutting the connection is the only way left to signal that the body is incomplete
    },
  );
}

/** In slices, a client that reads slowly can be distinguished from one that does not read at all. */
export async function* slicesOf(body: string | Uint8Array, sliceBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.byteLength; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}
