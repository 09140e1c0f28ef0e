import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { CodedError } from '#coded-error';
import { failureError } from '../failures/bad-request.js';
import { httpErrors } from '../failures/error-codes.js';
import type { Peer, RequestSource } from '../source/request-source.js';
import { keepAfterEnd } from './fast/node-internals.js';
import { HttpRequest } from '../request/http-request.js';
import type { InFlight } from './in-flight.js';
import { peerOf } from '../source/message-facts.js';
import type { ParserError } from './parser-failure.js';
import { parserFailure } from './parser-failure.js';
import type { ServerState } from './server-state.js';
import { answerUnparsed } from './answer-unparsed.js';
import { OnePerTurn } from './one-per-turn.js';

/** Bytes that are no request: each connection that sends some gets one answer, and so many a second get the full one. */
export class Refusals {
  readonly #service: ServerState;
  readonly #seen: WeakSet<Socket> = new WeakSet();
  readonly #turns = new OnePerTurn();
  readonly rate: RateWindow;

  constructor(service: ServerState) {
    this.#service = service;
    this.rate = new RateWindow(service.limits.refusalsPerSecond);
  }

  /** Takes what Node's parser could not. */
  refuse(error: ParserError, socket: Socket): void {
    if (this.#seen.has(socket)) return; // the parser fails again on each further packet
    this.#seen.add(socket);
    if (this.#service.leaving.has(socket)) return;
    if (!socket.writable || socket.bytesRead === 0 || this.#hasHalfRead(socket) || isLost(error)) {
      socket.destroy();
      return;
    }
    keepAfterEnd(socket);
    const failure = parserFailure(error, this.#service.limits);
    const source = createRefusedSource(failure, lastHead(error), peerOf(socket));
    // In an asynchronous context of its own, whoever's turn it is begun in.
    this.#turns.take(AsyncResource.bind(() => this.#conclude(source, socket)));
  }

  /** The failure belongs to the body of a request that is being answered, or else gets an answer of its own. */
  #conclude(source: RefusedSource, socket: Socket): void {
    if (this.#service.leaving.has(socket)) return;
    const busy = this.#service.inFlight.on(socket);
    const reading = busy.find((exchange) => !exchange.source.isComplete);
    if (reading !== undefined) this.#failBody(reading, source.failure, socket);
    else if (this.#hasHalfRead(socket)) socket.destroy();
    else this.#inTurn(busy, source, socket);
  }

  /** What came is the body of a request that has had its answer. */
  #hasHalfRead(socket: Socket): boolean {
    return this.#service.unread.get(socket)?.isComplete === false;
  }

  /** Takes a CONNECT: Node has released its socket, and there is nothing that it could be connected to. */
  refuseConnect(message: IncomingMessage, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    const { method = '', url = '', rawHeaders, httpVersion } = message;
    const failure = httpErrors.create('HTTP_METHOD_UNSUPPORTED', { method });
    const source = { method, target: url, rawHeaders, httpVersion, peer: peerOf(socket), failure };
    this.#inTurn(this.#service.inFlight.on(socket), source, socket);
  }

  /** Answers leave in the order of the requests. */
  #inTurn(busy: readonly InFlight[], source: RefusedSource, socket: Socket): void {
    const answer = (): void => {
      this.#answer(source, socket).catch((error: unknown) => {
        this.#service.report(error);
        socket.destroy();
      });
    };
    const last = busy.at(-1);
    if (last === undefined) answer();
    else last.afterwards(answer);
  }

  /** Notifies the application of a failure that has no request to answer. */
  async note(failure: CodedError, peer: Peer): Promise<void> {
    if (!this.rate.take(performance.now())) return;
    const request = new HttpRequest(createRefusedSource(failure, undefined, peer), this.#service);
    const response = await this.#service.respond(request, failureError(failure).status);
    this.#service.terminate(request, response, {
      status: response.status,
      headers: [],
      bodyBytes: 0,
      completed: false,
    });
  }

  /** The head was fine and is being answered: the failure reaches whoever reads the body, and the connection ends. */
  #failBody(exchange: InFlight, failure: CodedError, socket: Socket): void {
    exchange.source.failBody(failureError(failure));
    exchange.afterwards(() => setTimeout(() => socket.destroy(), 1000).unref());
  }

  async #answer(source: RefusedSource, socket: Socket): Promise<void> {
    const { failure } = source;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    if (!this.rate.take(performance.now())) {
      await answerUnparsed(socket, this.#service.plainResponse(failureError(failure).status), 'GET');
      return;
    }
    const request = new HttpRequest(source, this.#service);
    const response = await this.#service.respond(request, failureError(failure).status);
    const sent = await answerUnparsed(socket, response, request.source.method);
    this.#service.terminate(request, response, sent);
  }
}

/** The packet from the head that failed: requests that came before it in the same packet have had their answers. */
function lastHead({ rawPacket, bytesParsed = 0 }: ParserError): Uint8Array | undefined {
  if (rawPacket === undefined) return undefined;
  const before = Buffer.from(
    rawPacket.buffer,
    rawPacket.byteOffset,
    Math.min(bytesParsed, rawPacket.byteLength),
  );
  const end = before.lastIndexOf('\r\n\r\n');
  return end === -1 ? rawPacket : rawPacket.subarray(end + 4);
}

/** The client is gone: there is no one to answer. */
function isLost(error: ParserError): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'ETIMEDOUT';
}

/** Lets so many pass in each second, and counts. */
class RateWindow {
  readonly #perSecond: number;
  #second = 0;
  #used = 0;
  /** How many passed and how many did not, since the start. */
  passed = 0;
  held = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether one more may pass at `now` (milliseconds of a clock that never goes back). */
  take(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#used = 0;
    }
    if (this.#used >= this.#perSecond) {
      this.held += 1;
      return false;
    }
    this.#used += 1;
    this.passed += 1;
    return true;
  }
}

/** What is known of a request that is none. */
interface RefusedSource extends RequestSource {
  readonly failure: CodedError;
}

const maxHeadBytes = 2048;
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/;
const fieldPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const maxFields = 100;

/**
 * A request of bytes that are none: what can be read of its first line and fields, and why it was refused. It serves
 * to show what came; nothing of it was checked.
 */
function createRefusedSource(failure: CodedError, packet: Uint8Array | undefined, peer: Peer): RefusedSource {
  const rawHead =
    packet === undefined ? '' : Buffer.from(packet.subarray(0, maxHeadBytes)).toString('latin1');
  const [first = '', ...lines] = rawHead.split(/\r?\n/, maxFields + 1);
  const [method = '', target = '', version = ''] = first.split(' ');
  return {
    method: tokenPattern.test(method) ? method : '-',
    target,
    rawHeaders: readableFields(lines),
    httpVersion: /^HTTP\/(\d\.\d)$/.exec(version)?.[1] ?? '',
    peer,
    failure,
    rawHead,
  };
}

function readableFields(lines: readonly string[]): string[] {
  const fields: string[] = [];
  for (const line of lines) {
    if (line === '') break;
    const [, name, value] = fieldPattern.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.push(name, value.trim());
  }
  return fields;
}
