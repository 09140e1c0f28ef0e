import type { RecordMark } from './record-lookup.js';
import type { TimeBreakdown } from './time-breakdown.js';

/** Summary of a record: one row of the list. */
export interface ProfileSummary {
  readonly token: string;
  readonly sequence: number;
  readonly bucket: 'app' | 'profiler';
  /** Id of the trace that the request belongs to (W3C Trace Context). */
  readonly trace: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The duration by kind of work. */
  readonly breakdown: TimeBreakdown;
  readonly state: 'complete' | 'unfinished' | 'aborted';
  readonly method: string;
  /** Absolute URL, including the query. */
  readonly url: string;
  /** Path as sent. */
  readonly path: string;
  /** 0 if no response was sent. */
  readonly status: number;
  readonly clientAddress: string;
  /** Name of the route; null if none matched. */
  readonly route: string | null;
  /** Message of the outermost error; null if nothing was thrown. */
  readonly exception: string | null;
  /** Class of the error, and the place in the application where it originated (`src/blog.ts:12`). */
  readonly errorClass: string | null;
  readonly errorPlace: string | null;
  /** Place in the application that ran the longest loop of single queries or, without one, the slowest of the slow queries. */
  readonly queryPlace: string | null;
  /** Number of log lines: at level `warning` or above, at level `error` or above, and in total. */
  readonly warnings: number;
  readonly errors: number;
  readonly logs: number;
  readonly user: string | null;
  /** Process that made the record (`host:pid`) and version of its application; null in records of older versions. */
  readonly instance: string | null;
  readonly version: string | null;
  /** Numbers that collectors declare, by section and name: `db.queries`. */
  readonly collected: Readonly<Record<string, number>>;
  /** The pin of a record, with its note; absent if there is none. */
  readonly mark?: RecordMark;
}
