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
  /** Number of log records of level warning or above, and of all. */
  readonly warnings: number;
  readonly logs: number;
  readonly user: string | null;
}
