import type { Writable } from 'node:stream';
import { HttpRequest } from '../request/http-request.js';
import { ClientGoneResponse, type HttpResponse } from '../response/http-response.js';
import { stopBody, type StreamedBody, pumpBody } from '../response/response-body.js';
import { isClientGone } from '../source/request-source.js';
import type { NodeSource } from './node-source.js';
import type { ServerState } from './server-state.js';

/** Writes an answer to the connection. Implemented for HTTP/1.1 and for HTTP/2. */
export interface ReplyWriter {
  /** Starts sending. From then on, `headers` and `bodyBytes` report what was sent. Throws only before the first byte. */
  send(response: HttpResponse, request: HttpRequest): void;
  /** Alternating names and values; empty until something was sent. */
  readonly headers: readonly string[];
  readonly bodyBytes: number;
  /** Whether the whole answer was flushed. */
  readonly isComplete: boolean;
  /** Cuts the connection off. */
  destroy(): void;
}

/**
 * One request in flight: it is handled by the application, answered, and reported as finished. Each step happens once,
 * even if something throws or the client disconnects at any time.
 */
export class ConnectionExchange {
  readonly source: NodeSource;
  readonly request: HttpRequest;
  readonly #service: ServerState;
  readonly #writer: ReplyWriter;
  #response: HttpResponse | undefined;
  #isWaiting = false;
  #isBegun = false;
  #isClosed = false;
  #onOver: (() => void) | undefined;

  constructor(source: NodeSource, writer: ReplyWriter, service: ServerState) {
    this.source = source;
    this.#writer = writer;
    this.#service = service;
    this.request = new HttpRequest(source, service);
  }

  wait(): void {
    this.#isWaiting = true;
    this.#service.inFlight.push(this);
  }

  start(): void {
    if (this.#isClosed) return;
    this.accept();
    this.begin();
  }

  /** Marks the request as read: it will be handled even if its client disconnects first. */
  accept(): void {
    this.#isBegun = true;
    if (!this.#isWaiting) this.#service.inFlight.push(this);
  }

  begin(): void {
    try {
      const answer = this.#service.handle(this.request);
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

  /** Calls `then` when the request is finished. */
  afterwards(then: () => void): void {
    this.#onOver = then;
  }

  /** Cuts the client's connection or stream. */
  destroy(): void {
    this.#writer.destroy();
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
    this.#service.terminate(this.request, response, {
      status: response.status,
      headers: Object.freeze(this.#writer.headers),
      bodyBytes: this.#writer.bodyBytes,
      completed: this.#writer.isComplete,
    });
    this.#finish();
  }

  #finish(): void {
    const { inFlight } = this.#service;
    const place = inFlight.lastIndexOf(this);
    if (place !== -1) inFlight.splice(place, 1);
    this.#onOver?.();
  }
}

interface StreamSending {
  /** The declared Content-Length in bytes, if any. */
  readonly declared: number | undefined;
  readonly request: HttpRequest;
  readonly service: ServerState;
  readonly writer: { bodyBytes: number; destroy(): void };
}

/** Sends a streamed body and ends the sink. Reports failures, except that the client has disconnected. */
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
