import type { RecordBucket } from './profile-record.js';
import type { RecordMark } from './record-marks.js';
import type { TimeBreakdown } from './time-breakdown.js';

/** A record as a row of the list. */
export interface ProfileSummary {
  readonly token: string;
  readonly sequence: number;
  readonly bucket: RecordBucket;
  readonly parent: string | null;
  /** Id of the trace that it belongs to (W3C Trace Context), where there is one. */
  readonly trace: string | null;
  /** The session that it is of, by a hash that holds within one process; null without a session cookie. */
  readonly visitor: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What kinds of work it was spent on. */
  readonly breakdown: TimeBreakdown;
  readonly state: 'complete' | 'unfinished' | 'aborted';
  readonly method: string;
  /** Absolute, with the query. */
  readonly url: string;
  /** Path as sent. */
  readonly path: string;
  /** 0 where no response has left. */
  readonly status: number;
  readonly clientAddress: string;
  /** Name of the route; null where none matched. */
  readonly route: string | null;
  /** Message of the outer error; null where nothing was thrown. */
  readonly exception: string | null;
  /** Its class, and the place in the application that it came from (`src/blog.ts:12`). */
  readonly errorClass: string | null;
  readonly errorPlace: string | null;
  /** Number of log records of level warning or above, of level error or above, and of all. */
  readonly warnings: number;
  readonly errors: number;
  readonly logs: number;
  readonly user: string | null;
  /** Which process made the record, `host:pid`, and the version of its application; null in records of older versions. */
  readonly instance: string | null;
  readonly version: string | null;
  /** The pin of a record, with its tags and note; absent if there is none. */
  readonly mark?: RecordMark;
  /** Numbers that collectors declare, by section and name: `db.queries`. */
  readonly collected: Readonly<Record<string, number>>;
}
