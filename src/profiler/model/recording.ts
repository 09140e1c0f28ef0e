import type { Picture } from '#dump';
import type { ErrorReport } from '#errors';
import type { HttpRequest } from '#http';
import type { LogRecord } from '#log';
import type { MatchTrace } from '#routing';

/** Where the request went, as the framework reports it; one for all requests that go there. */
export interface RouteNote {
  readonly name: string | null;
  readonly path: string | null;
  /** Which parameters there may be; without it, all there are. */
  readonly names?: readonly string[];
  /** Called at once, unless the time for traces is used up (`limits` says so then). */
  readonly trace?: (request: HttpRequest) => MatchTrace;
  readonly allow?: readonly string[];
}

/** Which function answers, as the framework reports it. */
export interface ControllerNote {
  readonly name: string;
  /** Where it is declared; asked when the record closes, behind the response. */
  readonly place?: () => { readonly file: string; readonly line: number } | undefined;
}

/** What a listener did beside returning. */
export type SpanOutcome = 'stopped' | 'failed';

/** A request being watched. Every method is cheap, never throws, and does nothing once the record is closed, but for `log` and `lateError`. */
export interface Recording {
  readonly token: string;
  /** Kept only if the request fails or is slow (`SampleOptions`): until then, no answer names the record. */
  readonly isOnTrial: boolean;
  readonly request: HttpRequest;
  /** The request is over: what comes now is too late for its record. */
  readonly isClosed: boolean;
  /** Beginning of the request, of `performance.now`. */
  readonly startedAt: number;
  /**
   * A stretch of time begins; `id` is from `registerSpan`. Gives its place, for `leave`. A listener begins when the
   * stage or the listener before it was noted last, and a stage ends with its last listener: the clock is not read
   * for these.
   */
  enter(id: number): number;
  leave(place: number, outcome?: SpanOutcome): void;
  route(note: RouteNote, parameters?: Readonly<Record<string, unknown>>): void;
  /** `described` names the arguments, in their order. */
  controller(
    note: ControllerNote,
    args: readonly unknown[],
    described?: readonly { readonly name: string }[],
  ): void;
  log(record: LogRecord): void;
  /** The picture that was taken of a record's context when it was logged; undefined where none was. */
  contextOf(record: LogRecord): Picture | undefined;
  /** Something was thrown. Give the report where there is one already; the last call counts. */
  error(thrown: unknown, report?: ErrorReport): void;
  /**
   * Something failed behind the response: half-way through a stream, after it was sent, or when the record is closed
   * already. Kept where nothing was thrown before.
   */
  lateError(thrown: unknown): void;
  user(identifier: string): void;
  /** The body was taken from the connection for the record alone: the application did not read it. */
  unreadBody(): void;
  /** Chunks of a body, in order; only the beginning is kept. */
  requestBody(chunk: Uint8Array | string): void;
  responseBody(chunk: Uint8Array | string): void;
  /** A body of bytes that is about to be sent whole: its beginning is copied, as its owner may write into it later. */
  sentBytes(body: Uint8Array): void;
  /** What a collector keeps, copied as it is now: plain data, of which nothing is run; bounded and without secrets. */
  section(name: string, data: unknown): void;
}
