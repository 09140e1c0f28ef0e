import type { RecordBucket } from './profile-record.js';
import type { ProfileSummary } from './profile-summary.js';

/**
 * How a column is compared. `numbers`: in one of the ranges, ends included, `null` for no end · `is`, `starts`,
 * `contains`: one of the texts, without regard to case · `missing`: the column has no value.
 */
export type ProfileTest =
  | {
      readonly kind: 'numbers';
      readonly ranges: readonly (readonly [least: number | null, most: number | null])[];
    }
  | { readonly kind: 'is' | 'starts' | 'contains'; readonly texts: readonly string[] }
  | { readonly kind: 'missing' };

/** A condition on the summary of a record, as plain JSON data. */
export interface ProfileCondition {
  /**
   * Columns of the summary (`status`, `durationMs`, `errorClass`, `db.queries` …), `url` and `path` among them: at least
   * one of them must pass the test. A column that a record does not have is missing, and 0 as a number.
   */
  readonly columns: readonly string[];
  readonly test: ProfileTest;
  /** The condition is met by what does not pass. */
  readonly isNegated?: boolean;
}

/** An order by a column of numbers; equal ones by key. */
export interface ProfileSort {
  readonly column: string;
  readonly isAscending: boolean;
}

/** Which records to list: those that meet all conditions. `parseQuery` parses conditions from text. */
export interface ProfileQuery {
  /** Default `app`. */
  readonly bucket?: RecordBucket;
  readonly where?: readonly ProfileCondition[];
  readonly token?: string;
  /** Default: newest first, in the order in which the records were closed. */
  readonly sort?: ProfileSort;
  /** Rows at most; default 50, at most 1,000. */
  readonly limit?: number;
  /** Only rows after the one of this cursor (`ProfileList.next`). */
  readonly before?: string;
}

/** One page of the list. */
export interface ProfileList {
  readonly rows: readonly ProfileSummary[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
  /** False if the search stopped at its time limit: `next` continues from there, although rows may be missing here. */
  readonly complete: boolean;
  /** Records that are missing because they cannot be read: so many stand in damaged segments that were met. */
  readonly damaged?: number;
}

/** What was stored behind a position. */
export interface ProfileNews {
  /** In the order in which they were stored. */
  readonly rows: readonly ProfileSummary[];
  /** To go on from. */
  readonly position: string;
  /** The requested position is not known (any more): rows may be missing. */
  readonly isGap: boolean;
}
