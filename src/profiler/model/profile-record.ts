import type { Picture } from '#dump';
import type { ErrorReport } from '#errors';
import type { MatchTrace } from '#routing';

/** Current version of the record format; readers refuse records of a newer version. Adding or removing a field increases it. */
export const recordSchema = 4;

/**
 * Record of one request, from its first to its last byte: plain JSON data, bounded and without secrets. Times are in
 * milliseconds; `startMs` and `offsetMs` are relative to the beginning of the request.
 */
export interface ProfileRecord {
  /** Version of the record format in which it was written. */
  readonly schema: number;
  /** Name of the record: lowercase hexadecimal, at least six characters. */
  readonly token: string;
  /** Increases with each record of a process; orders records whose timestamps are equal or unreliable. */
  readonly sequence: number;
  readonly bucket: 'app' | 'profiler';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** `unfinished` while the request is in flight (or if the process ended during it), `aborted` if the client disconnected. */
  readonly state: 'complete' | 'unfinished' | 'aborted';
  readonly request: {
    readonly method: string;
    /** Absolute URL composed of scheme, host and target, including the query. */
    readonly url: string;
    /** As sent: path and query, percent-encoding kept. */
    readonly target: string;
    /** Path as sent. */
    readonly path: string;
    readonly httpVersion: string;
    readonly scheme: 'http' | 'https';
    /** The Host header; empty if there was none. */
    readonly host: string;
    /** Address of the client: that of the peer, or the one reported by a trusted proxy. */
    readonly clientAddress: string;
    /** Remote end of the connection. */
    readonly peer: {
      readonly address: string;
      readonly port: number;
    };
    readonly headers: RecordedHeaders;
    /** Names in order; values are redacted. */
    readonly cookies: RecordedHeaders;
    /** Decoded parameters, in order. */
    readonly query: RecordedHeaders;
    /** Null if no body was read. */
    readonly body: RecordedBody | null;
    /** The body parsed as form data or JSON; null if it is neither or was truncated. */
    readonly parsed: {
      readonly format: 'form' | 'json';
      readonly value: Picture;
    } | null;
    readonly locale: string | null;
    /** Identifier of the signed-in user. */
    readonly user: string | null;
    /** Beginning of the raw bytes, if they were not a valid request. */
    readonly rawHead?: string;
  };
  /** What was sent to the client; null if nothing has been sent. */
  readonly response: {
    readonly status: number;
    readonly headers: RecordedHeaders;
    readonly cookies: readonly {
      readonly name: string;
      readonly value: string;
      /** `Path`, `HttpOnly` …; the value is empty for attributes without one. */
      readonly attributes: RecordedHeaders;
    }[];
    /** Bytes of the body that were sent. */
    readonly bodyBytes: number;
    /** Beginning of the body; null if there was none or it was not kept. */
    readonly body: RecordedBody | null;
    /** False if the client disconnected or the stream failed before the end. */
    readonly completed: boolean;
  } | null;
  /** Null if routing was not reached. */
  readonly route: {
    /** Null if no route matched. */
    readonly name: string | null;
    /** The path as declared. */
    readonly path: string | null;
    readonly parameters: readonly {
      readonly name: string;
      readonly value: Picture;
    }[];
    /** Why each route did or did not match; null if no trace was taken (`limits` then contains an entry). */
    readonly trace: MatchTrace | null;
    /** Methods that the path supports, for a 405. */
    readonly allow: readonly string[];
  } | null;
  /** Null if no controller was called. */
  readonly controller: {
    /** `ArticleController.show`. */
    readonly name: string;
    readonly file: string | null;
    readonly line: number | null;
    /** The arguments as they were when the controller was called. */
    readonly arguments: readonly {
      readonly name: string;
      readonly value: Picture;
    }[];
  } | null;
  readonly events: readonly {
    readonly event: string;
    readonly startMs: number;
    readonly durationMs: number;
    readonly listeners: readonly {
      readonly name: string;
      /** Where the application added the listener; absent for listeners of the framework or of a library. */
      readonly place?: {
        readonly file: string;
        readonly line: number;
        readonly column: number;
      };
      readonly priority: number;
      readonly startMs: number;
      readonly durationMs: number;
      /** The listener produced a response, so the listeners after it were not called. */
      readonly stopped: boolean;
      /** The listener threw. */
      readonly failed: boolean;
    }[];
  }[];
  /** The first and the last lines that were logged; `logTotals` describes the omitted ones. */
  readonly logs: readonly {
    /** Milliseconds since the epoch. */
    readonly time: number;
    /** On the same clock as `timeline`. */
    readonly offsetMs: number;
    readonly level: string;
    readonly channel: string;
    readonly message: string;
    /** Absent if the log call had no context. */
    readonly context?: Picture;
  }[];
  readonly logTotals: {
    readonly total: number;
    /** Number of lines per level; levels that were not used are absent. */
    readonly byLevel: Readonly<Record<string, number>>;
    /** Number of omitted lines. They form one gap, after the first `omittedAfter` entries of `logs`. */
    readonly omitted: number;
    readonly omittedAfter: number;
  };
  readonly exception: ErrorReport | null;
  readonly timeline: readonly {
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
  }[];
  readonly runtime: {
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
  };
  /** Environment, versions and settings of the process that handled the request. */
  readonly config: Readonly<Record<string, string | number | boolean>>;
  /** Plain data of the collectors (db, security, locale, translation …), by collector name. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** What was truncated by a limit. Empty if everything was kept. */
  readonly limits: readonly {
    /** `logs`, `request body`, `listeners`, `routing trace` … */
    readonly what: string;
    readonly kept: number;
    readonly total: number;
    readonly limit: number;
  }[];
  readonly cost: {
    /** Milliseconds spent on the record after the response, on the thread that handled the request. */
    readonly recordMs: number;
    /** Size of the record before compression. */
    readonly bytes: number;
  };
}

/** Kind of request: a request to the application, or to one of the profiler's own pages. */
export type RecordBucket = ProfileRecord['bucket'];
/** Header fields in their original order and spelling; the values of secret names are redacted. */
export type RecordedHeaders = readonly (readonly [name: string, value: string])[];
/** The request as it arrived. */
export type RecordedRequest = ProfileRecord['request'];
/** The response as it was sent. */
export type RecordedResponse = NonNullable<ProfileRecord['response']>;
/** Beginning of a body, up to a limit; the content is empty, and cut, where bodies of its type are not recorded. */
export interface RecordedBody {
  /** Encoding of `content`. */
  readonly encoding: 'text' | 'base64';
  readonly content: string;
  readonly contentType: string;
  /** Total number of bytes that were seen. */
  readonly bytes: number;
  /** `content` is truncated. */
  readonly cut: boolean;
  /** The application did not read the body; it was read from the connection for the record only. */
  readonly isUnread?: true;
}
/** A Set-Cookie field: its value is redacted, its attributes are as sent. */
export type RecordedCookie = RecordedResponse['cookies'][number];
/** Result of routing. */
export type RecordedRoute = NonNullable<ProfileRecord['route']>;
/** The controller function that handled the request. */
export type RecordedController = NonNullable<ProfileRecord['controller']>;
/** One dispatch of a lifecycle event with the listeners that were called, in call order. */
export type RecordedEvent = ProfileRecord['events'][number];
/** A listener that was called. */
export type RecordedListener = RecordedEvent['listeners'][number];
/** A line that was logged. */
export type RecordedLog = ProfileRecord['logs'][number];
/** How much was logged in total, including the lines that `logs` omits. */
export type RecordedLogTotals = ProfileRecord['logTotals'];
/** A time span: a stage, a listener, the controller, or a span reported by a section (query, call, rendering …). */
export type RecordedSpan = ProfileRecord['timeline'][number];
/** What a limit truncated. */
export type RecordedLimit = ProfileRecord['limits'][number];

/** Returns the first value of a field; `wanted` is its lowercase name. */
export function findHeader(headers: RecordedHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}
