import type { ProfileCondition } from './profile-query.js';
import type { RecordBucket } from './profile-record.js';

/** Describes what to count, over all records that meet the conditions. */
export interface TotalsQuery {
  /** Default `app`. */
  readonly bucket?: RecordBucket;
  readonly where?: readonly ProfileCondition[];
  /** Text columns to group by. Without any, all records form one group. */
  readonly groupBy?: readonly string[];
  /** Time intervals of equal length by which each group is also counted; `from` in milliseconds since the epoch, at most 200. */
  readonly steps?: { readonly from: number; readonly stepMs: number; readonly count: number };
  /** Only `count`, `failed` and `steps` are needed: all other fields may be 0 or empty. Not combined with `groupBy`. */
  readonly isCountOnly?: boolean;
}

/** Counts of the records of one group. */
export interface TotalsGroup {
  /** Values of the columns of `groupBy`. */
  readonly values: readonly (string | number | null)[];
  readonly count: number;
  /** Requests with a status of 500 or above, or that failed after a response with a status below 300. */
  readonly failed: number;
  /** Start of the earliest and of the latest request; milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Durations in ascending order, in classes of 9 %: the longest of the class, and the number of requests in it. */
  readonly durations: readonly (readonly [longestMs: number, count: number])[];
  /** For each step, the count and the number of failed requests; empty if no steps were requested. */
  readonly steps: readonly (readonly [count: number, failed: number])[];
}

/** Totals of all records, those that wait to be stored among them; largest groups first. */
export interface ProfileTotals {
  readonly groups: readonly (TotalsGroup & { readonly lastToken: string })[];
  /** False if there are more groups than are returned, or the store cannot be read. */
  readonly complete: boolean;
}

/** Maximum number of groups returned. */
export const maxGroups = 1000;

/** Returns the class of a duration in milliseconds: `⌊8 · log2(ms)⌋`, but at least −200. */
export function durationClass(ms: number): number {
  return ms > 0 ? Math.max(-200, Math.floor(8 * Math.log2(ms))) : -200;
}

/**
 * Returns a quantile (`share` from 0 to 1) of the durations of a group in milliseconds: one of them, at most 9 % above the
 * exact one; 0 if there are none.
 */
export function durationQuantile({ durations }: Pick<TotalsGroup, 'durations'>, share: number): number {
  let left = share * durations.reduce((sum, [, count]) => sum + count, 0);
  for (const [longestMs, count] of durations) {
    left -= count;
    if (left <= 0) return longestMs;
  }
  return 0;
}
