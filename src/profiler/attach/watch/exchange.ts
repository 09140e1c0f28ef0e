import { heldChunks } from '../servers/intercept-emit.js';
import { Stream } from 'node:stream';
import { types } from 'node:util';
import { safely } from '#core/coded-error';
import { createScopeKey, currentScope, runInScope, type ScopeKey } from '#core/scope';
import type { HttpRequest, SentResponse } from '#core/http';
import { type ErrorReport, flattenError, isError } from '#core/errors';
import { hideOwnFramesOf, type Method } from '#core/patches';
import type { DeclaredRoutes, Recording, RouteNote } from '#profiler';
import {
  carryWatch,
  findWatch,
  followMethods,
  followOwnEmit,
  type MessageWatch,
  unfollowMethods,
} from './followed-methods.js';
import type { ForeignRequest, ForeignResponse } from './foreign-message.js';
import { type AnswerOwner, OutgoingAnswer } from './outgoing-answer.js';

/** Lifecycle callbacks. */
interface ExchangeEnd {
  /** Called after the last byte, or when the client has disconnected. */
  over(exchange: Exchange): void;
  /** Reports a failure in the profiler itself. Never throws. */
  failed(error: unknown): void;
  /** Declares a router's routes if the router is new or its size has changed. */
  declare(router: object, size: number, list: () => DeclaredRoutes): void;
  /** Called for an error that the framework is about to answer; returns true if it was answered instead. */
  answerError(exchange: Exchange, error: unknown): boolean;
}

interface ExchangeOptions extends Pick<AnswerOwner, 'request' | 'recording' | 'settings' | 'link'> {
  readonly end: ExchangeEnd;
}

const requestExchange: ScopeKey<Exchange> = createScopeKey('exchange');

export function findCurrentExchange(): Exchange | undefined {
  return currentScope()?.get(requestExchange);
}

/** Returns the exchange of another server's request or response; undefined if it is not watched. */
export function findExchange(message: object): Exchange | undefined {
  return findWatch(message)?.owner as Exchange | undefined; // only exchanges own watches
}

/** One request to another server, from the handler call to the last byte. Intercepted methods call the original. */
export class Exchange implements MessageWatch, AnswerOwner {
  readonly request: HttpRequest;
  readonly recording: Recording;
  readonly incoming: ForeignRequest;
  readonly outgoing: ForeignResponse;
  readonly settings: ExchangeOptions['settings'];
  readonly link: string | undefined;
  /** Callbacks with which adapters record facts that are known only at the end. */
  readonly atEnd: (() => void)[] = [];
  /** Adapter state: Express's application, and the timeline bar of Fastify's handler. */
  app: unknown;
  handlerBar: number | undefined;
  /** The route, and the name of the function called by the router, once recorded. */
  route: RouteNote | undefined;
  controller: string | undefined;
  readonly answer: OutgoingAnswer;
  readonly #end: ExchangeEnd;
  #errors: Pick<ExchangeEnd, 'answerError'>;
  #isOver = false;
  readonly #bars: number[] = [];
  #thrown: unknown;
  /** The stream piped into the response. */
  #piped: unknown;
  /** The recorded error's report, as long as a status below 400 would show that it was not a failure. */
  #answerable: ErrorReport | undefined;

  constructor(incoming: ForeignRequest, outgoing: ForeignResponse, options: ExchangeOptions) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.request = options.request;
    this.recording = options.recording;
    this.settings = options.settings;
    this.link = options.link;
    this.#end = this.#errors = options.end;
    this.request.scope.set(requestExchange, this);
    this.answer = new OutgoingAnswer(this);
    followMethods(incoming, outgoing);
    carryWatch(incoming, this);
    carryWatch(outgoing, this.answer);
    followOwnEmit(incoming);
    followOwnEmit(outgoing);
    this.#takeHeldChunks();
  }

  /** Records the part of the body that arrived while the request was held. */
  #takeHeldChunks(): void {
    const held: unknown = Reflect.get(this.incoming, heldChunks);
    if (!Array.isArray(held)) return;
    Reflect.deleteProperty(this.incoming, heldChunks);
    for (const chunk of held) this.push(() => true, [chunk]);
  }

  get owner(): this {
    return this;
  }

  /** Declares the routes in the router that handles this request; `list` is called only if they have changed. */
  declareRoutes(router: object, size: number, list: () => DeclaredRoutes): void {
    this.#end.declare(router, size, list);
  }

  /** Starts a timeline bar of a kind from `registerSpan`. Open bars end with the exchange. */
  enter(kind: number): number {
    const bar = this.recording.enter(kind);
    this.#bars.push(bar);
    return bar;
  }

  leave(bar: number, outcome?: 'failed'): void {
    this.recording.leave(bar, outcome);
  }

  /**
   * Records a thrown error, or a value passed to `next`, unless it was the last one recorded. If the application then
   * responds with a status below 400, the error is withdrawn: it was a means of control flow.
   */
  error(thrown: unknown): void {
    if (this.#thrown === thrown) return;
    this.#thrown = thrown;
    hideOwnFramesOf(thrown);
    try {
      this.#record(thrown);
    } catch (error) {
      this.#end.failed(error);
    }
  }

  #record(thrown: unknown): void {
    const report = { ...flattenError(thrown, { mapsPackages: false }), status: statusOfError(thrown) };
    this.recording.error(thrown, report);
    // Errors after the head was sent can no longer be answered. Adapters also report errors at the end.
    this.#answerable = this.outgoing.headersSent && !this.#isOver ? undefined : report;
  }

  /** Records an uncaught error, whatever the response. */
  uncaught(thrown: unknown): void {
    this.error(thrown);
    this.#answerable = undefined;
  }

  /** Records a thrown error, and shows the error page if enabled. Returns true if the error was answered. */
  answerError(error: unknown): boolean {
    this.error(error);
    return this.#errors.answerError(this, error);
  }

  /** Lets a later attachment with its own error page answer errors instead of the exchange's creator. */
  showErrorsBy(errors: Pick<ExchangeEnd, 'answerError'>): void {
    this.#errors = errors;
  }

  /** Runs application code in this request's scope, so that its logs and queries appear in the record. */
  run<Result>(work: () => Result): Result {
    return runInScope(this.request.scope, work);
  }

  /** Emits the request's events in its scope, which is not active in a parser callback. */
  emit(former: Method, args: unknown[]): unknown {
    return this.#emit(this.incoming, former, args);
  }

  /** Records body chunks as they arrive. */
  push(former: Method, args: unknown[]): unknown {
    const [chunk] = args;
    if (this.settings.bodies && (chunk instanceof Uint8Array || typeof chunk === 'string'))
      this.recording.requestBody(chunk);
    return Reflect.apply(former, this.incoming, args);
  }

  #emit(message: object, former: Method, args: unknown[]): unknown {
    const { scope } = this.request;
    if (currentScope() === scope) return Reflect.apply(former, message, args);
    return runInScope(scope, () => Reflect.apply(former, message, args));
  }

  /** Emits the response's events in the same way. Its `close` event ends the exchange. */
  emitAnswer(former: Method, args: unknown[]): unknown {
    try {
      return this.#emit(this.outgoing, former, args);
    } finally {
      if (args[0] === 'pipe') this.#piped = args[1];
      if (args[0] === 'close') this.#over();
    }
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      this.#finish();
    } catch (error) {
      this.#end.failed(error);
    }
  }

  #finish(): void {
    for (const bar of this.#bars) this.recording.leave(bar);
    const cause = isComplete(this.incoming, this.outgoing)
      ? undefined
      : findBreak(this.outgoing, this.#piped);
    if (cause !== undefined) this.error(cause);
    for (const fact of this.atEnd) {
      try {
        fact();
      } catch {
        // Facts are read from application objects whose getters may throw; the record then lacks this fact.
      }
    }
    if (this.#answerable !== undefined && wasAnswered(readSentResponse(this)))
      this.recording.withdrawError(this.#answerable);
    unfollowMethods();
    this.#end.over(this);
    // The record waits to be stored, but must not keep application objects alive meanwhile.
    this.request.scope.delete(requestExchange);
  }
}

/**
 * Returns the status that frameworks read from an error, if it is 400–599; otherwise 500. Never runs proxies or own
 * accessors, but does run accessors of classes, as frameworks do, and ignores what they throw.
 */
export function statusOfError(error: unknown): number {
  // `status` in Express, Koa, Nest, Hono and h3, `statusCode` in Fastify, `output` in hapi.
  const found = [
    readMember(error, 'status'),
    readMember(error, 'statusCode'),
    readMember(readMember(error, 'output'), 'statusCode'),
  ].find((value) => typeof value === 'number' && value >= 400 && value < 600);
  return typeof found === 'number' ? found : 500;
}

const maxPrototypes = 20;

/** Reads a foreign value's member without running proxies or own accessors. */
function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object') return undefined;
  let holder: unknown = value;
  for (let level = 0; level < maxPrototypes; level++) {
    if (typeof holder !== 'object' || holder === null || types.isProxy(holder)) return undefined;
    const found = Object.getOwnPropertyDescriptor(holder, name);
    if (found !== undefined) {
      if ('value' in found) return found.value;
      return holder === value ? undefined : safely((): unknown => found.get?.call(value), undefined);
    }
    holder = Object.getPrototypeOf(holder);
  }
  return undefined;
}

/** Returns whether a complete response without a failure status was sent. */
function wasAnswered({ status, completed }: SentResponse): boolean {
  return completed && status > 0 && status < 400;
}

/** Reads the response as sent to the client; the status is 0 if nothing was sent. */
export function readSentResponse({ incoming, outgoing, answer: { bodyBytes } }: Exchange): SentResponse {
  const { status, headers, head } = readHead(outgoing);
  return { status, headers, head, bodyBytes, completed: isComplete(incoming, outgoing) }; // spreading would be slower
}

/** Reads status and header fields; for HTTP/1.1 from the written head, which includes Node's own fields. */
function readHead(outgoing: ForeignResponse): Pick<SentResponse, 'status' | 'headers' | 'head'> {
  if (!outgoing.headersSent) return { status: 0, headers: noFields };
  if ('stream' in outgoing) {
    const headers: string[] = [];
    const fields = (outgoing.stream as { sentHeaders?: Record<string, unknown> } | undefined)?.sentHeaders; // undefined once the stream is destroyed
    const sent = Object.entries(fields ?? outgoing.getHeaders()).filter(([name]) => !name.startsWith(':'));
    for (const [name, value] of sent) headers.push(...[value].flat().flatMap((text) => [name, String(text)]));
    return { status: outgoing.statusCode, headers };
  }
  const { _header: head } = outgoing as { _header?: unknown }; // the head as written by Node; on-finished and morgan read it too
  if (typeof head !== 'string') return { status: outgoing.statusCode, headers: noFields };
  return { status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), headers: noFields, head };
}

/** Stream errors that only mean the client has disconnected. */
const leaving: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
  'ABORT_ERR',
]);

/**
 * Returns the error with which the application, or the stream it sent, ended the response; undefined if the client
 * left.
 */
function findBreak(outgoing: ForeignResponse, piped: unknown): unknown {
  const stream: unknown = Reflect.get(outgoing, 'stream');
  return [outgoing, stream, piped]
    .map((one) => readMember(one, 'errored'))
    .find(
      (error) =>
        isError(error) && !leaving.has(readMember(error, 'code')) && !leaving.has(readMember(error, 'name')),
    );
}

const noFields: readonly never[] = [];

/** Returns whether the whole response was flushed before the connection closed. */
function isComplete(incoming: ForeignRequest, outgoing: ForeignResponse): boolean {
  if (!('stream' in outgoing)) {
    const { socket } = incoming;
    // A test without a connection may emit `close` before its sink has taken the bytes.
    if (!outgoing.writableFinished) return outgoing.writableEnded && !(socket instanceof Stream);
    if (socket.destroyed !== true) return true;
    // After a failed last write, only the connection reports it.
    return (readMember(socket, 'errored') ?? null) === null && socket.writableFinished !== false;
  }
  // Not `writableFinished`, which Node does not set if both sides of a stream have ended.
  const stream = outgoing.stream as { rstCode?: number; aborted?: boolean } | undefined; // undefined once the stream is destroyed
  return outgoing.writableEnded && (stream?.rstCode ?? 0) === 0 && stream?.aborted !== true;
}
