import type { Snapshot } from '#core/dump';
import type { ErrorReport } from '#core/errors';
import type { HttpRequest } from '#core/http';
import type { LogRecord } from '#core/log';
import type { MatchTrace } from '#core/routing';

/** A route as reported by the framework. All requests to the route share one object. */
export interface RouteNote {
  readonly name: string | null;
  readonly path: string | null;
  /** Names of the parameters to record. Default: all. */
  readonly names?: readonly string[];
  /** Called at once, unless the time budget for traces is used up (`limits` then contains an entry). */
  readonly trace?: (request: HttpRequest) => MatchTrace;
  readonly allow?: readonly string[];
}

/** A controller as reported by the framework. */
export interface ControllerNote {
  readonly name: string;
  /** Returns where it is declared; called when the record is encoded, after the response. */
  readonly location?: () => { readonly file: string; readonly line: number } | undefined;
}

/** A listener's outcome other than a plain return. */
export type SpanOutcome = 'stopped' | 'failed';

/**
 * A request that is being recorded. All methods are cheap and never throw. Once the record is closed, only `log` and
 * `lateError` have an effect.
 */
export interface Recording {
  readonly token: string;
  /**
   * True if the record is kept only when the request fails or is slow (`SampleOptions`); until then, no response names
   * its token.
   */
  readonly isTailSampled: boolean;
  readonly request: HttpRequest;
  /** Marks the request as one of the profiler's own, which lists hide. */
  markOwn(): void;
  /** True once the record is closed; later data is not part of it. */
  readonly isClosed: boolean;
  /** Start of the request on the `performance.now` clock. */
  readonly startedAt: number;
  /**
   * Begins a span; `id` is from `registerSpan`. Returns its index for `leave`. To save clock readings, a listener
   * starts at the previous reading (by its stage or the previous listener), and a stage ends at the last reading.
   */
  enter(id: number): number;
  leave(index: number, outcome?: SpanOutcome): void;
  route(note: RouteNote, parameters?: Readonly<Record<string, unknown>>): void;
  /** `described` contains the names of the arguments, in order. */
  controller(
    note: ControllerNote,
    args: readonly unknown[],
    described?: readonly { readonly name: string }[],
  ): void;
  /** Records the registered listeners' span ids, so that those not called can be named. */
  listeners(ids: readonly number[]): void;
  log(record: LogRecord): void;
  /** True if the log has reached its limit, so that call sites are no longer needed. */
  readonly isLogFull: boolean;
  /** Returns the snapshot taken of a log record's context when it was logged, if any. */
  contextOf(record: LogRecord): Snapshot | undefined;
  /**
   * Records an exception, with its report if there already is one. A later call replaces an earlier one; `null`
   * withdraws it.
   */
  error(thrown: unknown, report?: ErrorReport | null): void;
  /** Withdraws the exception recorded with this report, unless another one has replaced it. */
  withdrawError(report: ErrorReport): void;
  /**
   * Records a failure after the response began: while it was streamed, after it was sent, or after the record was
   * closed. Ignored if an exception was already recorded.
   */
  lateError(thrown: unknown): void;
  user(identifier: string): void;
  /** Marks the body as read only for the record, not by the application. */
  unreadBody(): void;
  /** Adds a chunk of the body; only the beginning of the body is kept. */
  requestBody(chunk: Uint8Array | string): void;
  responseBody(chunk: Uint8Array | string): void;
  /** Marks the response as streamed from now on, even if it has no bytes yet. */
  streams(): void;
  /** Marks when a streamed response's first byte was sent. Further calls do nothing. */
  firstByte(): void;
  /** Copies the beginning of a binary body about to be sent, because its owner may reuse the buffer. */
  sentBytes(body: Uint8Array): void;
  /** Adds a section of plain data, copied at once without running getters, bounded and redacted. */
  section(name: string, data: unknown): void;
}
