import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { statusText } from '#errors';
import type { HttpRequest } from '../request/http-request.js';
import { HttpResponse, type SentResponse } from '../response/http-response.js';
import type { TrustPolicy } from '../trust/trust-policy.js';
import { PipelinedRequests } from './fast/pipelined-requests.js';
import type { ConnectionExchange } from './connection-exchange.js';
import type { NodeSource } from './node-source.js';
import { defaultServerLimits, type NodeServerOptions, type ServerLimits } from './server-options.js';

/** State shared by all exchanges of one server. */
export class ServerState {
  readonly limits: ServerLimits;
  readonly trust: TrustPolicy | undefined;
  /**
   * The requests in flight, in the order in which they were read. An array instead of a Set: the old hash tables of a Set
   * that grows and shrinks keep its former elements alive until a full garbage collection.
   */
  readonly inFlight: ConnectionExchange[] = [];
  /** The open connections. */
  readonly sockets: Set<Socket> = new Set();
  /** Connections whose last answer is being sent; further bytes on them are ignored. */
  readonly closingSockets: WeakSet<Socket> = new WeakSet();
  /** Requests that were answered before their whole body had arrived. */
  readonly unread: WeakMap<Socket, NodeSource> = new WeakMap();
  readonly pipelined: PipelinedRequests = new PipelinedRequests();
  /** Pending promises of `terminate`. */
  readonly terminating: Set<Promise<unknown>> = new Set();
  /** Value of the Keep-Alive header. */
  readonly keepAlive: string;
  readonly #options: NodeServerOptions;
  /** Set when the server stops: connections are closed as their answers end. */
  isClosing = false;
  /** Bytes of the largest answer over HTTP/2 that was in memory as a whole. */
  largestAnswer = 0;
  readonly #stopping = new AbortController();

  constructor(options: NodeServerOptions) {
    this.#options = options;
    const limits = { ...defaultServerLimits, ...options.limits };
    // The header block is part of the request: Node refuses a longer time for it.
    this.limits = { ...limits, headerTimeout: Math.min(limits.headerTimeout, limits.requestTimeout) };
    setMaxListeners(0, this.#stopping.signal); // one for each live stream and WebSocket
    this.trust = options.trust;
    this.keepAlive = `timeout=${Math.max(1, Math.floor(this.limits.keepAliveTimeout / 1000))}`;
  }

  /** Aborted when the server begins to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  beginStop(): void {
    this.isClosing = true;
    this.#stopping.abort();
  }

  noteSocket(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** Returns the requests in flight on a connection, in their order. */
  inFlightOn(socket: Socket): ConnectionExchange[] {
    return this.inFlight.filter(({ source }) => source.socket === socket);
  }

  noteAnswer(bytes: number): void {
    if (bytes > this.largestAnswer) this.largestAnswer = bytes;
  }

  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    return this.#options.handle(request);
  }

  /** Returns the application's answer, or a plain one of `status` if it fails. Never rejects. */
  async respond(request: HttpRequest, status: number): Promise<HttpResponse> {
    try {
      return await this.handle(request);
    } catch (error) {
      this.report(error, request);
      return this.plainResponse(status);
    }
  }

  /** Notifies the application that an answer is finished; reports errors of the callback. */
  terminate(request: HttpRequest, response: HttpResponse, sent: SentResponse): void {
    try {
      const ending = this.#options.terminate?.(request, response, sent);
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
      this.#options.onError?.(error, request);
    } catch {
      // there is nowhere left to report a failing error handler
    }
  }

  /** Creates an answer without calling the application. */
  plainResponse(status: number): HttpResponse {
    const headers = { ...this.#options.plainHeaders, 'X-Content-Type-Options': 'nosniff' };
    return HttpResponse.text(`${status} ${statusText(status)}\n`, { status, headers });
  }
}
