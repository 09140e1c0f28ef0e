import type { RecordBucket } from './profile-record.js';

/** A record as a row of the list. */
export interface ProfileSummary {
  readonly token: string;
  readonly sequence: number;
  readonly bucket: RecordBucket;
  readonly parent: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
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
  /** Numbers that collectors declare, by section and name: `db.queries`. */
  readonly collected: Readonly<Record<string, number>>;
}
