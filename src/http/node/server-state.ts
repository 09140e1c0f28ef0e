import type { Socket } from 'node:net';
import type { HttpRequest } from '../request/http-request.js';
import { HttpResponse } from '../response/http-response.js';
import type { SentResponse } from '../response/sent-response.js';
import type { TrustPolicy } from '../trust/create-trust-policy.js';
import { statusText } from '#errors';
import { PipelinedRequests } from './fast/pipelined-requests.js';
import { FlightList } from './in-flight.js';
import type { NodeSource } from './node-source.js';
import {
  defaultServerLimits,
  type NodeServerOptions,
  type ServerLimits,
} from './settings/node-server-options.js';

/** What all exchanges of one server share. */
export class ServerState {
  readonly limits: ServerLimits;
  readonly trust: TrustPolicy | undefined;
  readonly inFlight: FlightList = new FlightList();
  /** Connections whose last answer is being sent: what else comes over them is not looked at. */
  readonly leaving: WeakSet<Socket> = new WeakSet();
  /** Requests that were answered before all of their body had come. */
  readonly unread: WeakMap<Socket, NodeSource> = new WeakMap();
  readonly pipelined: PipelinedRequests = new PipelinedRequests();
  /** What `terminate` is still at. */
  readonly terminating: Set<Promise<unknown>> = new Set();
  /** Value of the Keep-Alive header. */
  readonly keepAlive: string;
  readonly #options: NodeServerOptions;
  /** Set when the server stops: connections are closed as their answers end. */
  isClosing = false;
  readonly #stopping = new AbortController();

  constructor(options: NodeServerOptions) {
    this.#options = options;
    this.limits = { ...defaultServerLimits, ...options.limits };
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

  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    return this.#options.handle(request);
  }

  /** The application's answer, or a plain one of `status` where it has none to give. Never fails. */
  async respond(request: HttpRequest, status: number): Promise<HttpResponse> {
    try {
      return await this.handle(request);
    } catch (error) {
      this.report(error, request);
      return this.plainResponse(status);
    }
  }

  /** Notifies the application that an answer is over; what that throws is reported. */
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

  /** Never throws. */
  report(error: unknown, request?: HttpRequest): void {
    try {
      this.#options.onError?.(error, request);
    } catch {
      // a log that fails has nowhere left to report to
    }
  }

  /** The answer that needs no application. */
  plainResponse(status: number): HttpResponse {
    const headers = { ...this.#options.plainHeaders, 'X-Content-Type-Options': 'nosniff' };
    return HttpResponse.text(`${status} ${statusText(status)}\n`, { status, headers });
  }
}
