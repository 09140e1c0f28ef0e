import type { ErrorReport } from '#errors';
import type { MatchTrace } from '#routing';
import type { Picture } from '#dump';
import type { RecordedRequest, RecordedResponse } from './recorded-message.js';

/** Current version of the record format; readers refuse records of a newer version. */
export const recordSchema = 3;

/** Kind of request: a request to the application, or to one of the profiler's own pages. */
export type RecordBucket = 'app' | 'profiler';

/**
 * Record of one request, from its first to its last byte: plain JSON data, bounded and without secrets.
 * Times are in milliseconds; `startMs` and `offsetMs` are relative to the beginning of the request.
 */
export interface ProfileRecord {
  /** Version of the record format in which it was written. */
  readonly schema: number;
  /** Name of the record: lowercase hexadecimal, at least six characters. */
  readonly token: string;
  /** Increases with each record of a process; orders records whose timestamps are equal or unreliable. */
  readonly sequence: number;
  readonly bucket: RecordBucket;
  /** Token of the request that made this one. */
  readonly parent?: string;
  /** Tokens of the requests that this one made. */
  readonly children?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** `unfinished` while the request is in flight (or if the process ended during it), `aborted` if the client disconnected. */
  readonly state: 'complete' | 'unfinished' | 'aborted';
  readonly request: RecordedRequest;
  /** What was sent to the client; null if nothing has been sent. */
  readonly response: RecordedResponse | null;
  /** Null if routing was not reached. */
  readonly route: RecordedRoute | null;
  /** Null if no controller was called. */
  readonly controller: RecordedController | null;
  readonly events: readonly RecordedEvent[];
  /** The first and the last lines that were logged; `logTotals` describes the omitted ones. */
  readonly logs: readonly RecordedLog[];
  readonly logTotals: RecordedLogTotals;
  readonly exception: ErrorReport | null;
  readonly timeline: readonly RecordedSpan[];
  readonly runtime: RecordedRuntime;
  /** Environment, versions and settings of the process that handled the request. */
  readonly config: Readonly<Record<string, string | number | boolean>>;
  /** Plain data of the collectors (db, security, locale, translation …), by collector name. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** What was truncated by a limit. Empty if everything was kept. */
  readonly limits: readonly RecordedLimit[];
  readonly cost: RecordedCost;
}

/** Result of routing. */
export interface RecordedRoute {
  /** Null if no route matched. */
  readonly name: string | null;
  /** The path as declared. */
  readonly path: string | null;
  readonly parameters: readonly NamedPicture[];
  /** Why each route did or did not match; null if no trace was taken (`limits` then contains an entry). */
  readonly trace: MatchTrace | null;
  /** Methods that the path supports, for a 405. */
  readonly allow: readonly string[];
}

/** The controller function that handled the request. */
export interface RecordedController {
  /** `ArticleController.show`. */
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  /** The arguments as they were when the controller was called. */
  readonly arguments: readonly NamedPicture[];
}

export interface NamedPicture {
  readonly name: string;
  readonly value: Picture;
}

/** One dispatch of a lifecycle event with the listeners that were called, in call order. */
export interface RecordedEvent {
  readonly event: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly listeners: readonly RecordedListener[];
}

export interface RecordedListener {
  readonly name: string;
  /** Where the application added the listener; absent for listeners of the framework or of a library. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number };
  readonly priority: number;
  readonly startMs: number;
  readonly durationMs: number;
  /** The listener produced a response, so the listeners after it were not called. */
  readonly stopped: boolean;
  /** The listener threw. */
  readonly failed: boolean;
}

export interface RecordedLog {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** On the same clock as `timeline`. */
  readonly offsetMs: number;
  readonly level: string;
  readonly channel: string;
  readonly message: string;
  /** Absent if the log call had no context. */
  readonly context?: Picture;
}

/** How much was logged in total, including the lines that `logs` omits. */
export interface RecordedLogTotals {
  readonly total: number;
  /** Number of lines per level; levels that were not used are absent. */
  readonly byLevel: Readonly<Record<string, number>>;
  /** Number of omitted lines. They form one gap, after the first `omittedAfter` entries of `logs`. */
  readonly omitted: number;
  readonly omittedAfter: number;
}

/** A time span: a stage, a listener, the controller, or a span reported by a section (query, call, rendering …). */
export interface RecordedSpan {
  readonly name: string;
  /** `stage`, `listener`, `controller`, a category of the framework adapter, or the `TimeCategory` that a section reports. */
  readonly category: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** For a span that combines several: the sum of their durations, without the gaps between them. */
  readonly busyMs?: number;
  readonly detail?: string;
  /** The section that reported the span, and the `id` of its row in the section's panel. */
  readonly section?: string;
  readonly anchor?: string;
  /** The span did not end while the request was being recorded. */
  readonly open?: true;
}

/** State of the process, as last sampled before the end of the request. */
export interface RecordedRuntime {
  /** Bytes. */
  readonly memory: {
    readonly rss: number;
    readonly heapUsed: number;
    readonly heapTotal: number;
    readonly external: number;
  };
  /** Event-loop delay over the last second (mean and maximum), and the share of time the loop was busy (0–1). */
  readonly eventLoop: {
    readonly meanDelayMs: number;
    readonly maxDelayMs: number;
    readonly utilization: number;
  };
  /** Age of the sample when the request ended, in milliseconds. */
  readonly sampledMsAgo: number;
}

export interface RecordedLimit {
  /** `logs`, `request body`, `listeners`, `routing trace` … */
  readonly what: string;
  readonly kept: number;
  readonly total: number;
  readonly limit: number;
}

/** Cost of recording this request. */
export interface RecordedCost {
  /** Milliseconds spent serialising the record after the response, on the thread that handled the request. */
  readonly recordMs: number;
  /** Size of the record before compression, without the data that it shares with other records of its segment. */
  readonly bytes: number;
}
