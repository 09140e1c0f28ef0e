import type { OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { HttpRequest } from '../request/http-request.js';
import type { HttpResponse } from '../response/http-response.js';
import { assertStatus, isBodiless } from '../response/assert-response.js';
import { stopBody } from '../response/chunk-source.js';
import type { ReplyWriter } from './connection-exchange.js';
import { frameResponse, ownFields, httpDate } from './header-block.js';
import type { NodeSource } from './node-source.js';
import { sendStream } from './send-stream.js';
import type { ServerState } from './server-state.js';

/** NO_ERROR of RFC 9113, section 7. Node's constant would load the HTTP/2 module in processes that do not use it. */
const noError = 0x00;

/** Writes one HTTP/2 answer (RFC 9113), without connection fields; the stream frames the body. */
export class Http2Writer implements ReplyWriter {
  readonly #stream: ServerHttp2Stream;
  readonly #source: NodeSource;
  readonly #service: ServerState;
  headers: readonly string[] = [];
  bodyBytes = 0;

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

  destroy(): void {
    // Not `close`: that ends the stream before it resets it, so a truncated answer would look complete to the client.
    // With an error, which Node does not report anywhere, the stream is reset with INTERNAL_ERROR.
    this.#stream.destroy(new Error('The answer was cut off.'));
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
    if (typeof body === 'string' || body instanceof Uint8Array) {
      if (framing.kind === 'length') this.bodyBytes = framing.length;
      stream.end(body);
      return;
    }
    sendStream(body, stream, {
      declared: framing.kind === 'length' ? framing.length : undefined,
      source: this.#source,
      request,
      service: this.#service,
      writer: this,
    });
  }

  /** Closes the stream after the answer, so that the client stops sending the rest of its body. */
  #discardRest(): void {
    if (!this.#stream.readableEnded && !this.#stream.closed) this.#stream.close(noError);
  }
}

/** Returns the fields as Node's HTTP/2 expects them: lower-case names, lists for repeated ones, null prototype. */
function fieldRecord(status: number, flat: readonly string[]): OutgoingHttpHeaders {
  const record = Object.create(null) as OutgoingHttpHeaders; // empty, so it satisfies any record type
  record[':status'] = status;
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = (flat[index] ?? '').toLowerCase();
    const value = flat[index + 1] ?? '';
    const present = record[name];
    if (present === undefined) record[name] = value;
    else record[name] = Array.isArray(present) ? [...present, value] : [String(present), value];
  }
  return record;
}
