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

/** Codes of RFC 9113, section 7; Node's own table would load all of HTTP/2 in processes that never speak it. */
const noError = 0x00;

/** Writes one answer of HTTP/2 (RFC 9113): no connection fields, and the stream frames the body. */
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
    // Not writableFinished: Node closes a stream whose both sides have ended without setting it.
    const { writableEnded, rstCode, aborted } = this.#stream;
    return this.headers.length > 0 && writableEnded && rstCode === 0 && !aborted;
  }

  destroy(): void {
    // Not `close`: before it resets, that ends the stream, and what was cut off looks whole to the client. With an error,
    // which Node reports nowhere, the stream is reset with INTERNAL_ERROR.
    this.#stream.destroy(new Error('The answer was cut off.'));
  }

  send(response: HttpResponse, request: HttpRequest): void {
    const { method } = this.#source;
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) {
      stopBody(response.body); // the stream's close event shows that the client is gone
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
    stream.once('finish', () => this.#leaveRest());
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

  /** The answer is out: what the client still sends is not wanted. */
  #leaveRest(): void {
    if (!this.#stream.readableEnded && !this.#stream.closed) this.#stream.close(noError);
  }
}

/** Fields as Node's HTTP/2 takes them: lower case, repeated ones as lists, no prototype. */
function fieldRecord(status: number, flat: readonly string[]): OutgoingHttpHeaders {
  const record = Object.create(null) as OutgoingHttpHeaders; // an empty record of anything
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
