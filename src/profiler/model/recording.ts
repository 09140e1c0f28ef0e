import type { Snapshot } from '#core/dump';
import type { ErrorReport } from '#core/errors';
import type { HttpRequest } from '#core/http';
import type { LogRecord } from '#core/log';
import type { MatchTrace } from '#core/routing';

/** A route as the framework reports it; one object is shared by all requests to the route. */
export interface RouteNote {
  readonly name: string | null;
  readonly path: string | null;
  /** Names of the parameters to record; default all. */
  readonly names?: readonly string[];
  /** Called at once, unless the time budget for traces is used up (`limits` then contains an entry). */
  readonly trace?: (request: HttpRequest) => MatchTrace;
  readonly allow?: readonly string[];
}

/** A controller as the framework reports it. */
export interface ControllerNote {
  readonly name: string;
  /** Returns where it is declared; called when the record is serialised, after the response. */
  readonly location?: () => { readonly file: string; readonly line: number } | undefined;
}

/** Outcome of a listener other than a plain return. */
export type SpanOutcome = 'stopped' | 'failed';

/**
 * A request that is being recorded. Every method is cheap and never throws. Once the record is closed, every method except
 * `log` and `lateError` does nothing.
 */
export interface Recording {
  readonly token: string;
  /** The record is kept only if the request fails or is slow (`SampleOptions`); until then, no response names its token. */
  readonly isTailSampled: boolean;
  readonly request: HttpRequest;
  /** Makes the request one of the profiler's own, which lists leave out. */
  markOwn(): void;
  /** The record is closed: data reported from now on is not part of it. */
  readonly isClosed: boolean;
  /** Start of the request on the clock of `performance.now`. */
  readonly startedAt: number;
  /**
   * Begins a span; `id` is from `registerSpan`. Returns its place, to be passed to `leave`. To save clock readings, a
   * listener starts at the previous reading (of its stage or of the listener before it), and a stage ends at the last
   * reading.
   */
  enter(id: number): number;
  leave(index: number, outcome?: SpanOutcome): void;
  route(note: RouteNote, parameters?: Readonly<Record<string, unknown>>): void;
  /** `described` holds the names of the arguments, in their order. */
  controller(
    note: ControllerNote,
    args: readonly unknown[],
    described?: readonly { readonly name: string }[],
  ): void;
  /** Notes which listeners are registered, by their ids as spans, so that those that were not called can be named. */
  listeners(ids: readonly number[]): void;
  log(record: LogRecord): void;
  /** Whether its log has more lines than it keeps: of what is logged now, no call sites are needed. */
  readonly isLogFull: boolean;
  /** Returns the snapshot that was taken of a log record's context when it was logged, if there is one. */
  contextOf(record: LogRecord): Snapshot | undefined;
  /** Records an exception, with its report if there already is one. A later call replaces an earlier one; `null` takes it back. */
  error(thrown: unknown, report?: ErrorReport | null): void;
  /** Removes an exception that was recorded with this report, unless another one has replaced it. */
  withdrawError(report: ErrorReport): void;
  /**
   * Records a failure that happened after the response began: while it was being streamed, after it was sent, or after
   * the record was closed. Ignored if an exception was already recorded.
   */
  lateError(thrown: unknown): void;
  user(identifier: string): void;
  /** Notes that the body was read from the connection for the record only; the application did not read it. */
  unreadBody(): void;
  /** Adds a chunk of the body; only the beginning of the body is kept. */
  requestBody(chunk: Uint8Array | string): void;
  responseBody(chunk: Uint8Array | string): void;
  /** Notes that the response is sent in parts from now on, whether it has bytes already or not. */
  streams(): void;
  /** Notes that the first byte of a response in parts is sent now; a second call does nothing. */
  firstByte(): void;
  /** Copies the beginning of a byte body that is about to be sent, since its owner may overwrite the buffer later. */
  sentBytes(body: Uint8Array): void;
  /** Adds a section: plain data, copied now without running any getters, bounded, and with secrets redacted. */
  section(name: string, data: unknown): void;
}
