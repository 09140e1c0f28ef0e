import { createScopeKey, currentScope, runInScope, type ScopeKey } from '#scope';
import type { HttpRequest } from '#http';
import { flattenError } from '#errors';
import type { Method } from '#patches';
import type { Recording, RouteNote } from '#profiler';
import {
  carryWatch,
  findWatch,
  followMethods,
  type MessageWatch,
  unfollowMethods,
} from './followed-methods.js';
import type { ForeignRequest, ForeignResponse } from './foreign-message.js';
import { type AnswerOptions, LeavingAnswer } from './leaving-answer.js';

/** What an exchange reports to its creator. */
export interface ExchangeEnd {
  /** The last byte is out, or the client is gone. */
  over(exchange: Exchange): void;
  /** Something was thrown that the framework is about to answer; true where it was answered in its place. */
  answerError(exchange: Exchange, error: unknown): boolean;
}

/** How one exchange is watched. */
export interface ExchangeOptions extends AnswerOptions {
  readonly end: ExchangeEnd;
}

const requestExchange: ScopeKey<Exchange> = createScopeKey('exchange');

/** The exchange of the request that this code runs for. */
export function findCurrentExchange(): Exchange | undefined {
  return currentScope()?.get(requestExchange);
}

/** The exchange that a request or response of another server is part of; undefined where it is not watched. */
export function findExchange(message: object): Exchange | undefined {
  return findWatch(message)?.owner as Exchange | undefined; // exchanges alone own watches
}

/**
 * One request of another server, from the moment its handler is called to the last byte of the answer. Methods of the two messages
 * note what they are called with and then do what they did.
 */
export class Exchange implements MessageWatch {
  readonly request: HttpRequest;
  readonly recording: Recording;
  readonly incoming: ForeignRequest;
  readonly outgoing: ForeignResponse;
  /** Facts that are only known at the end: what the adapter reads from the request then. */
  readonly atEnd: (() => void)[] = [];
  /** What adapters know it by: Express its application, Fastify the bar of its handler. */
  app: unknown;
  handlerBar: number | undefined;
  /** The route, and the name of the function that the router called, as far as they are noted. */
  route: RouteNote | undefined;
  controller: string | undefined;
  readonly answer: LeavingAnswer;
  readonly #options: ExchangeOptions;
  #errors: Pick<ExchangeEnd, 'answerError'>;
  #isOver = false;
  readonly #bars: number[] = [];
  #thrown: unknown;

  constructor(incoming: ForeignRequest, outgoing: ForeignResponse, options: ExchangeOptions) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.request = options.request;
    this.recording = options.recording;
    this.#options = options;
    this.#errors = options.end;
    this.request.scope.set(requestExchange, this);
    this.answer = new LeavingAnswer(outgoing, options, this);
    followMethods(incoming, outgoing);
    carryWatch(incoming, this);
    carryWatch(outgoing, this.answer);
  }

  get owner(): this {
    return this;
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
    this.recording.error(thrown, { ...flattenError(thrown), status: statusOfError(thrown) });
  }

  /** Notes what was thrown, and answers it where that is wanted: true means that no one else should. */
  answerError(error: unknown): boolean {
    this.error(error);
    return this.#errors.answerError(this, error);
  }

  /** A later attachment with an error page of its own answers errors instead of the exchange's creator. */
  showErrorsBy(errors: Pick<ExchangeEnd, 'answerError'>): void {
    this.#errors = errors;
  }

  /** Runs work of the application as part of this request: its logs and queries belong to the record. */
  run<Result>(work: () => Result): Result {
    return runInScope(this.request.scope, work);
  }

  /** Events in the request's scope, which a parser's callback would not have. */
  emit(former: Method, args: unknown[]): unknown {
    return this.#emit(this.incoming, former, args);
  }

  /** Chunks of the body as they arrive. */
  push(former: Method, args: unknown[]): unknown {
    const [chunk] = args;
    if (this.#options.bodies && (chunk instanceof Uint8Array || typeof chunk === 'string'))
      this.recording.requestBody(chunk);
    return Reflect.apply(former, this.incoming, args);
  }

  #emit(message: object, former: Method, args: unknown[]): unknown {
    const { scope } = this.request;
    if (currentScope() === scope) return Reflect.apply(former, message, args);
    return runInScope(scope, () => Reflect.apply(former, message, args));
  }

  /** The same of the answer, of which the last one is that it is closed. */
  emitAnswer(former: Method, args: unknown[]): unknown {
    try {
      return this.#emit(this.outgoing, former, args);
    } finally {
      if (args[0] === 'close') this.#over();
    }
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const bar of this.#bars) this.recording.leave(bar);
    for (const fact of this.atEnd) noteSafely(fact);
    unfollowMethods();
    this.#options.end.over(this);
  }
}

/** Facts are read from objects of the application, whose getters may throw: the record then has no such fact, and the application goes on. */
function noteSafely(fact: () => void): void {
  try {
    fact();
  } catch {
    // not the application's business
  }
}

/** The status that frameworks read from an error, where it is one of an error. */
export function statusOfError(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 500;
  const { status, statusCode, output } = error as ErrorStatus; // read as Express reads it
  const found = [status, statusCode, output?.statusCode].find(
    (value) => typeof value === 'number' && value >= 400 && value < 600,
  );
  return typeof found === 'number' ? found : 500;
}

/** Where errors say it: those of Express, Koa, Nest, Hono and h3, of Fastify, and of hapi. */
interface ErrorStatus {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly output?: { readonly statusCode?: unknown } | null;
}
