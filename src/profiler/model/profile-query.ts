import type { RecordOrigin } from './profile-record.js';
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

/** A condition on a record's summary, as plain JSON data. */
export interface ProfileCondition {
  /**
   * Summary columns (`status`, `durationMs`, `errorClass`, `db.queries`, `url`, `path` …), at least one of which must
   * pass the test. A column absent from a record is missing, and counts as 0 in `numbers`.
   */
  readonly columns: readonly string[];
  readonly test: ProfileTest;
  /** If true, selects the records that fail the test. */
  readonly isNegated?: boolean;
}

/** Sort order by a numeric column; ties are ordered by key. */
export interface ProfileSort {
  readonly column: string;
  readonly isAscending: boolean;
}

/** Selects the records that meet all conditions. `parseQuery` parses conditions from text. */
export interface ProfileQuery {
  /** Default `app`. */
  readonly origin?: RecordOrigin;
  readonly where?: readonly ProfileCondition[];
  readonly token?: string;
  /** Default: newest first, in the order in which the records were closed. */
  readonly sort?: ProfileSort;
  /** Maximum number of rows; default 50, at most 1,000. */
  readonly limit?: number;
  /** The previous page's cursor (`ProfileList.next`): only rows after it are returned. */
  readonly before?: string;
}

/** One list page. */
export interface ProfileList {
  readonly rows: readonly ProfileSummary[];
  /** The next page's cursor; null at the end. */
  readonly next: string | null;
  /** False if the store cannot be read, so that only requests waiting for it are listed. */
  readonly complete: boolean;
}

/** The records stored after a position. */
export interface ProfileNews {
  /** In the order in which they were stored. */
  readonly rows: readonly ProfileSummary[];
  /** Position from which the next call continues. */
  readonly position: string;
  /** True if the requested position is not (or no longer) known, so rows may be missing. */
  readonly isGap: boolean;
}

/** Describes a count over all records that meet the conditions. */
export interface TotalsQuery {
  /** Default `app`. */
  readonly origin?: RecordOrigin;
  readonly where?: readonly ProfileCondition[];
  /** Text columns to group by. Without any, all records form one group. */
  readonly groupBy?: readonly string[];
  /**
   * Time intervals of equal length in which each group is also counted, at most 200. `from` is in milliseconds since
   * the epoch.
   */
  readonly steps?: { readonly from: number; readonly stepMs: number; readonly count: number };
  /** Only `count`, `failed` and `steps` are needed; all other fields may be 0 or empty. Not combined with `groupBy`. */
  readonly isCountOnly?: boolean;
}

/** Record counts in one group. */
export interface TotalsGroup {
  /** Values of the `groupBy` columns. */
  readonly values: readonly (string | number | null)[];
  readonly count: number;
  /** Requests with a status of 500 or above, or that failed after a response with a status below 300. */
  readonly failed: number;
  /** Start of the earliest and latest request, in milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Durations in ascending order, in classes of 9 %: each class's longest duration and number of requests. */
  readonly durations: readonly (readonly [longestMs: number, count: number])[];
  /** Count and failures in each step; empty if no steps were requested. */
  readonly steps: readonly (readonly [count: number, failed: number])[];
}

/** Totals of all records, including those waiting to be stored; largest groups first. */
export interface ProfileTotals {
  readonly groups: readonly (TotalsGroup & { readonly lastToken: string })[];
  /** False if groups were omitted, or the store cannot be read. */
  readonly complete: boolean;
}

export const maxGroups = 1000;

/**
 * Returns a quantile (`share` from 0 to 1) of a group's durations, in milliseconds. It is one of the durations, at most
 * 9 % above the exact quantile; 0 if there are none.
 */
export function durationQuantile({ durations }: Pick<TotalsGroup, 'durations'>, share: number): number {
  let left = share * durations.reduce((sum, [, count]) => sum + count, 0);
  for (const [longestMs, count] of durations) {
    left -= count;
    if (left <= 0) return longestMs;
  }
  return 0;
}
