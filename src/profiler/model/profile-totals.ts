import type { ProfileCondition } from './profile-query.js';
import type { RecordBucket } from './profile-record.js';

/** What to count, over all records that meet the conditions. */
export interface TotalsQuery {
  /** Default `app`. */
  readonly bucket?: RecordBucket;
  readonly where?: readonly ProfileCondition[];
  /** Columns of words; records with the same values are counted together. None: all are. */
  readonly groupBy?: readonly string[];
  /** Equal steps of time that each group is counted by as well; milliseconds since the epoch, at most 200 steps. */
  readonly steps?: { readonly from: number; readonly stepMs: number; readonly count: number };
  /** Only `count` is requested: everything else in the groups may be 0 or empty. Without `groupBy` and `steps`. */
  readonly isCountOnly?: boolean;
  /** Time limit in milliseconds; default 1,500. */
  readonly withinMs?: number;
}

/** Records counted together. */
export interface TotalsGroup {
  /** Values of the columns of `groupBy`. */
  readonly values: readonly (string | number | null)[];
  readonly count: number;
  /** Those that were answered with 500 or more, or failed behind an answer below 300. */
  readonly failed: number;
  /** Beginning of the earliest and of the latest request; milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Durations: how many requests lie in each class of `durationClass`. */
  readonly durations: Readonly<Record<number, number>>;
  /** For each step the count, and the failed ones; empty if no steps were requested. */
  readonly steps: readonly (readonly [count: number, failed: number])[];
}

/** What a store counted, the largest groups first. */
export interface StoreTotals {
  readonly groups: readonly (TotalsGroup & { readonly lastKey: number })[];
  /** False if it stopped at a limit of time or of groups: these are minimum numbers. */
  readonly complete: boolean;
  /** Records that are missing because they cannot be read: so many stand in damaged segments that were met. */
  readonly damaged?: number;
}

/** The same of everything that the profiler has. */
export interface ProfileTotals extends Omit<StoreTotals, 'groups'> {
  readonly groups: readonly (TotalsGroup & { readonly lastToken: string })[];
}

/** Groups that are given. */
export const maxGroups = 1000;

/** Classes of durations: eight for each doubling, so that what is read back is less than 5 % off. */
const classesPerDoubling = 8;

/** Number of the class of a duration in milliseconds: `⌊8 · log2(ms)⌋`; -200 below one microsecond. */
export function durationClass(ms: number): number {
  return ms > 0 ? Math.max(-200, Math.floor(classesPerDoubling * Math.log2(ms))) : -200;
}

/** The duration in milliseconds that a share (0 to 1) of the requests stays within, to 5 %; 0 without any. */
export function durationQuantile(durations: TotalsGroup['durations'], share: number): number {
  const classes = Object.entries(durations).sort(([a], [b]) => Number(a) - Number(b));
  let left = share * classes.reduce((sum, [, count]) => sum + count, 0);
  for (const [name, count] of classes) {
    left -= count;
    if (left <= 0) return 2 ** ((Number(name) + 0.5) / classesPerDoubling);
  }
  return 0;
}
