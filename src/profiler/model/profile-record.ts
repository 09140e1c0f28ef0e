import type { ErrorReport } from '#errors';
import type { MatchTrace } from '#routing';
import type { Picture } from '#dump';
import type { RecordedRequest, RecordedResponse } from './recorded-message.js';

/** Current version of the form of records; a reader refuses newer ones. */
export const recordSchema = 3;

/** Whose request it was: the application's, or one of the profiler's own pages. */
export type RecordBucket = 'app' | 'profiler';

/**
 * One request, watched from its first to its last byte: closed, plain JSON data, bounded and without secrets.
 * Times in milliseconds; `startMs` and `offsetMs` count from the beginning of the request.
 */
export interface ProfileRecord {
  /** Version of the form in which it was written. */
  readonly schema: number;
  /** Name of the record: lowercase hexadecimal, six characters or more. */
  readonly token: string;
  /** Grows with each record of a process; gives the order where clocks do not. */
  readonly sequence: number;
  readonly bucket: RecordBucket;
  /** Token of the request that this one was made by. */
  readonly parent?: string;
  /** Tokens of the requests that this one made. */
  readonly children?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** `unfinished` while it is under way (or where the process ended in it), `aborted` where the client went away. */
  readonly state: 'complete' | 'unfinished' | 'aborted';
  readonly request: RecordedRequest;
  /** What left for the client; null where nothing has yet. */
  readonly response: RecordedResponse | null;
  /** Null where routing was not reached. */
  readonly route: RecordedRoute | null;
  /** Null where none was called. */
  readonly controller: RecordedController | null;
  readonly events: readonly RecordedEvent[];
  /** The first and the last lines that were logged; `logTotals` says which are left out. */
  readonly logs: readonly RecordedLog[];
  readonly logTotals: RecordedLogTotals;
  readonly exception: ErrorReport | null;
  readonly timeline: readonly RecordedSpan[];
  readonly runtime: RecordedRuntime;
  /** Environment, versions and settings of the process that answered. */
  readonly config: Readonly<Record<string, string | number | boolean>>;
  /** What further collectors kept (db, security, locale, translation …), by their name: plain data. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** What a bound cut away. Empty where everything was kept. */
  readonly limits: readonly RecordedLimit[];
  readonly cost: RecordedCost;
}

/** Where the request went. */
export interface RecordedRoute {
  /** Null where no route matched. */
  readonly name: string | null;
  /** The path as declared. */
  readonly path: string | null;
  readonly parameters: readonly NamedPicture[];
  /** How each route fared, taken when the request was matched; null where it was not taken (`limits` says so). */
  readonly trace: MatchTrace | null;
  /** Methods that the path has, for a 405. */
  readonly allow: readonly string[];
}

/** The function that answered. */
export interface RecordedController {
  /** `ArticleController.show`. */
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  /** As they were when it was called. */
  readonly arguments: readonly NamedPicture[];
}

export interface NamedPicture {
  readonly name: string;
  readonly value: Picture;
}

/** One dispatch of a lifecycle event, with the listeners that were called, in their order. */
export interface RecordedEvent {
  readonly event: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly listeners: readonly RecordedListener[];
}

export interface RecordedListener {
  readonly name: string;
  /** Where the application added it; not there for one of the framework's or a library's own. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number };
  readonly priority: number;
  readonly startMs: number;
  readonly durationMs: number;
  /** It answered, so the listeners after it were not called. */
  readonly stopped: boolean;
  /** It threw. */
  readonly failed: boolean;
}

export interface RecordedLog {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** By the clock of `timeline`. */
  readonly offsetMs: number;
  readonly level: string;
  readonly channel: string;
  readonly message: string;
  /** Absent where none was given. */
  readonly context?: Picture;
}

/** How much was logged, whatever `logs` has of it. */
export interface RecordedLogTotals {
  readonly total: number;
  /** Lines of each level that was used. */
  readonly byLevel: Readonly<Record<string, number>>;
  /** Lines left out, in one run: behind the first `omittedAfter` of `logs`. */
  readonly omitted: number;
  readonly omittedAfter: number;
}

/** A stretch of time: a stage, a listener, the controller, and what sections report: queries, calls, rendering … */
export interface RecordedSpan {
  readonly name: string;
  /** `stage`, `listener`, `controller`, a word of the adapter's, or of what a section gives as its `TimeCategory`. */
  readonly category: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Of a bar that stands for several: how long they took, without what lay between them. */
  readonly busyMs?: number;
  readonly detail?: string;
  /** The section that reported it, and the row of its panel. */
  readonly section?: string;
  readonly anchor?: string;
  /** Never ended while the request was watched. */
  readonly open?: true;
}

/** The process around the request, as last sampled before its end. */
export interface RecordedRuntime {
  /** Bytes. */
  readonly memory: {
    readonly rss: number;
    readonly heapUsed: number;
    readonly heapTotal: number;
    readonly external: number;
  };
  /** Delay of the event loop over the last second (mean and longest), and the share of time it was busy (0–1). */
  readonly eventLoop: {
    readonly meanDelayMs: number;
    readonly maxDelayMs: number;
    readonly utilization: number;
  };
  /** How old the sample was when the request ended. */
  readonly sampledMsAgo: number;
}

export interface RecordedLimit {
  /** `logs`, `request body`, `listeners`, `routing trace` … */
  readonly what: string;
  readonly kept: number;
  readonly total: number;
  readonly limit: number;
}

/** What watching this request cost. */
export interface RecordedCost {
  /** Time on the request's thread to write the record down, after the answer. */
  readonly recordMs: number;
  /** Bytes of the record before compression, without what it shares with its neighbours. */
  readonly bytes: number;
}
