import type { RecordBucket } from './profile-record.js';
import type { ProfileSummary } from './profile-summary.js';

/** Which records to list, newest first. All conditions must hold; text conditions may be turned round by a leading `!`. */
export interface ProfileQuery {
  /** Default `app`. */
  readonly bucket?: RecordBucket;
  /** Text that the client's address contains; `!` in front excludes it. */
  readonly ip?: string;
  /** `GET`, `!GET`; without regard to case. */
  readonly method?: string;
  /** `404`, a class `4xx`, or `!200`. */
  readonly status?: string;
  /** Text that the URL contains, without regard to case; `!` in front excludes it. */
  readonly url?: string;
  /** Name of the route, or its beginning with `*` behind; `!` in front excludes it. */
  readonly route?: string;
  readonly token?: string;
  /** Only requests in which something was thrown (true) or nothing was (false). */
  readonly exception?: boolean;
  /** Milliseconds since the epoch, inclusive. */
  readonly start?: number;
  readonly end?: number;
  /** Rows at most; default 50, at most 1,000. */
  readonly limit?: number;
  /** Only records older than the one of this cursor (`ProfileList.next`). */
  readonly before?: string;
}

/** One page of the list. */
export interface ProfileList {
  readonly rows: readonly ProfileSummary[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
  /** False where the search stopped at its bound of time: `next` goes on from there, although rows may be missing here. */
  readonly complete: boolean;
}
