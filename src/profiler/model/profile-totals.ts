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
  /** Histogram of the durations: number of requests by `durationClass`. */
  readonly durations: Readonly<Record<number, number>>;
  /** Longest duration. Absent where a store does not report it. */
  readonly maxMs?: number;
  /** The durations themselves, in ascending order, of a group with fewer than 50 records. */
  readonly exactMs?: readonly number[];
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

/** Resolution of the duration histogram: eight classes per doubling keep the error of a quantile below 5 %. */
const classesPerDoubling = 8;

/** Returns the histogram class of a duration in milliseconds: `⌊8 · log2(ms)⌋`, but at least −200. */
export function durationClass(ms: number): number {
  return ms > 0 ? Math.max(-200, Math.floor(classesPerDoubling * Math.log2(ms))) : -200;
}

/**
 * Returns a quantile (`share` from 0 to 1) of the durations of a group in milliseconds; 0 if there are none. Exact for
 * groups with fewer than 50 records and for the longest (`share` 1), otherwise accurate to 5 %.
 */
export function durationQuantile(
  {
    durations,
    exactMs,
    maxMs = Number.POSITIVE_INFINITY,
  }: Pick<TotalsGroup, 'durations' | 'exactMs' | 'maxMs'>,
  share: number,
): number {
  if (exactMs !== undefined) return exactMs[Math.max(0, Math.ceil(share * exactMs.length) - 1)] ?? 0;
  if (share === 1 && maxMs !== Number.POSITIVE_INFINITY) return maxMs;
  const classes = Object.entries(durations).sort(([a], [b]) => Number(a) - Number(b));
  let left = share * classes.reduce((sum, [, count]) => sum + count, 0);
  for (const [name, count] of classes) {
    left -= count;
    if (left <= 0) return Math.min(maxMs, 2 ** ((Number(name) + 0.5) / classesPerDoubling));
  }
  return 0;
}
