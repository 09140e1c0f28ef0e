import type { RecordBucket } from './profile-record.js';
import type { ProfileSummary } from './profile-summary.js';

/**
 * Test applied to a column. `numbers`: the value lies in one of the ranges (both bounds inclusive, `null` = unbounded).
 * `is`, `starts`, `contains`: the value matches one of the texts, ignoring case. `missing`: the column has no value.
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
   * Columns of the summary (`status`, `durationMs`, `errorClass`, `db.queries`, `url`, `path` …). The condition is met
   * if at least one of them passes the test. A column that a record does not have is missing, and counts as 0 in `numbers`.
   */
  readonly columns: readonly string[];
  readonly test: ProfileTest;
  /** If true, the condition is met by the records that fail the test. */
  readonly isNegated?: boolean;
}

/** Sort order by a numeric column; ties are ordered by key. */
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
  /** Maximum number of rows; default 50, at most 1,000. */
  readonly limit?: number;
  /** Cursor of the previous page (`ProfileList.next`): only rows after it are returned. */
  readonly before?: string;
}

/** One page of the list. */
export interface ProfileList {
  readonly rows: readonly ProfileSummary[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
  /** False if the store cannot be read: only requests that wait for it are listed. */
  readonly complete: boolean;
}

/** The records that were stored after a position. */
export interface ProfileNews {
  /** In the order in which they were stored. */
  readonly rows: readonly ProfileSummary[];
  /** Position from which the next call continues. */
  readonly position: string;
  /** True if the requested position is not (or no longer) known, so that rows may be missing. */
  readonly isGap: boolean;
}
