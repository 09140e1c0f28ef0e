import { createScopeKey, currentScope, runInScope, type ScopeKey } from '#scope';
import type { HttpRequest } from '#http';
import { joinRedirect, type Recording, serverTiming } from '#profiler';
import { LeavingHead } from './leaving-head.js';
import { addFields, bytesOf, outgoingFields, takesBody, wrapMethod } from './message-methods.js';
import type { ForeignRequest, ForeignResponse } from './foreign-message.js';

/** What an exchange reports to whoever began it. */
export interface ExchangeEnd {
  /** The last byte is out, or the client is gone. */
  over(exchange: Exchange): void;
  /** Something was thrown that the framework is about to answer; true where it was answered in its place. */
  answerError(exchange: Exchange, error: unknown): boolean;
}

/** How one exchange is watched. */
export interface ExchangeOptions {
  readonly request: HttpRequest;
  readonly recording: Recording;
  /** Whether the beginnings of both bodies are kept. */
  readonly bodies: boolean;
  /** Address of the record, where the client may open it. */
  readonly link: string | undefined;
  /** Path of the profiler's pages, where those that are opened here get the toolbar. */
  readonly toolbar: string | undefined;
  readonly end: ExchangeEnd;
}

/** Under which a message carries its exchange. Not enumerable: the application does not meet it by accident. */
const carried = Symbol('lookback exchange');

interface Carrier {
  [carried]?: Exchange;
}

const requestExchange: ScopeKey<Exchange> = createScopeKey('exchange');

/** The exchange of the request that this code runs for. */
export function findCurrentExchange(): Exchange | undefined {
  return currentScope()?.get(requestExchange);
}

/** The exchange that a request or response of another server is part of; undefined where it is not watched. */
export function findExchange(message: object): Exchange | undefined {
  return (message as Carrier)[carried]; // absent on messages that are not watched
}

/**
 * One request of another server, from the moment its handler is called to the last byte of the answer. It replaces
 * five methods of the two messages by ones that note and then do what they did; nothing is buffered, reordered or awaited.
 */
export class Exchange {
  readonly request: HttpRequest;
  readonly recording: Recording;
  readonly incoming: ForeignRequest;
  readonly outgoing: ForeignResponse;
  /** Facts that are only known at the end: what the adapter reads from the request then. */
  readonly atEnd: (() => void)[] = [];
  /** What adapters know it by: Express its application, Fastify the bar of its handler. */
  app: unknown;
  handlerBar: number | undefined;
  bodyBytes = 0;
  readonly #options: ExchangeOptions;
  #isOver = false;
  readonly #bars: number[] = [];
  #thrown: unknown;

  constructor(incoming: ForeignRequest, outgoing: ForeignResponse, options: ExchangeOptions) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.request = options.request;
    this.recording = options.recording;
    this.#options = options;
    this.request.scope.set(requestExchange, this);
    for (const message of [incoming, outgoing])
      Object.defineProperty(message, carried, { value: this, configurable: true });
    this.#watchIncoming();
    this.#watchOutgoing();
  }

  /** Address of the record, where the client may open it. */
  get link(): string | undefined {
    return this.#options.link;
  }

  /** A stretch of time of the kind that `registerSpan` gave has begun; it ends at the latest when the exchange is over. */
  enter(kind: number): number {
    const bar = this.recording.enter(kind);
    this.#bars.push(bar);
    return bar;
  }

  leave(bar: number, outcome?: 'failed'): void {
    this.recording.leave(bar, outcome);
  }

  /** Notes what was thrown; once, however many pass it on. */
  error(thrown: unknown): void {
    if (this.#thrown === thrown) return;
    this.#thrown = thrown;
    this.recording.error(thrown);
  }

  /** Notes what was thrown, and answers it where that is wanted: true means that nobody else is to. */
  answerError(error: unknown): boolean {
    this.error(error);
    return this.#options.end.answerError(this, error);
  }

  /** Runs work of the application as part of this request: its logs and queries belong to the record. */
  run<Result>(work: () => Result): Result {
    return runInScope(this.request.scope, work);
  }

  /** Chunks as they arrive; events in the request's scope, which a parser's callback would not have. */
  #watchIncoming(): void {
    const message = this.incoming;
    if (this.#options.bodies) {
      wrapMethod(message, 'push', (push, args) => {
        const [chunk] = args;
        if (chunk instanceof Uint8Array || typeof chunk === 'string') this.recording.requestBody(chunk);
        return Reflect.apply(push, message, args);
      });
    }
    wrapMethod(message, 'emit', (emit, args) => this.run(() => Reflect.apply(emit, message, args)));
  }

  #watchOutgoing(): void {
    const message = this.outgoing;
    let isEnding = false; // HTTP/2 writes what it ends with by its own `write`
    const { toolbar, link } = this.#options;
    const { request, recording } = this;
    const head =
      toolbar === undefined || link === undefined
        ? undefined
        : new LeavingHead(message, { request, token: recording.token, prefix: toolbar });
    wrapMethod(message, 'write', (write, args) => {
      head?.begin();
      if (!isEnding) this.#noteChunk(args[0], args[1]);
      return Reflect.apply(write, message, args);
    });
    wrapMethod(message, 'end', (end, given) => {
      const args = head === undefined || this.bodyBytes > 0 ? given : head.end(given);
      this.#noteChunk(args[0], args[1]);
      isEnding = true;
      try {
        return Reflect.apply(end, message, args);
      } finally {
        isEnding = false;
      }
    });
    wrapMethod(message, 'writeHead', (writeHead, given) => {
      head?.release();
      const args = this.#nameRecord(given);
      const leave = (fields: unknown[]): unknown => Reflect.apply(writeHead, message, fields);
      return head?.holds(args, leave) === true ? message : leave(args);
    });
    if (head !== undefined)
      wrapMethod(message, 'flushHeaders', (flush, args) => {
        head.begin();
        return Reflect.apply(flush, message, args);
      });
    wrapMethod(message, 'emit', (emit, args) => {
      try {
        return this.run(() => Reflect.apply(emit, message, args));
      } finally {
        if (args[0] === 'close') this.#over();
      }
    });
  }

  #noteChunk(chunk: unknown, encoding: unknown): void {
    const { outgoing } = this;
    if (outgoing.writableEnded || outgoing.destroyed || !takesBody(outgoing)) return;
    if (chunk instanceof Uint8Array) {
      this.bodyBytes += chunk.byteLength;
      if (this.#options.bodies) this.recording.responseBody(chunk);
    } else if (typeof chunk === 'string' && chunk !== '') {
      const bytes = bytesOf(chunk, encoding);
      this.bodyBytes += bytes.byteLength;
      if (this.#options.bodies) this.recording.responseBody(bytes);
    }
  }

  /** The arguments of `writeHead` with the headers that name the record, where the client may open it. */
  #nameRecord(args: unknown[]): unknown[] {
    const { link } = this.#options;
    const { outgoing, request, recording } = this;
    if (link === undefined || outgoing.headersSent) return args;
    const status = typeof args[0] === 'number' ? args[0] : outgoing.statusCode;
    const isRedirect = status >= 300 && status < 400;
    const [location] = isRedirect ? outgoingFields(outgoing, args)('location') : [];
    const { previous, cookies } = joinRedirect(request, { status, location }, recording.token);
    return addFields(outgoing, args, [
      ['X-Debug-Token', recording.token],
      ['X-Debug-Token-Link', link],
      ['Server-Timing', serverTiming(recording)],
      ...(previous === undefined ? [] : [['X-Previous-Debug-Token', previous] as const]),
      ...cookies.map((cookie) => ['Set-Cookie', cookie] as const),
    ]);
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const bar of this.#bars) this.recording.leave(bar);
    for (const fact of this.atEnd) fact();
    this.#options.end.over(this);
  }
}
