/**
 * Kinds of work into which a request's time is divided. Each moment counts for exactly one of them; for `unaccounted` if
 * no span covers it, or if the process did not run.
 */
export const timeCategories = ['framework', 'app', 'database', 'http', 'rendering', 'unaccounted'] as const;

/** One of `timeCategories`. */
export type TimeCategory = (typeof timeCategories)[number];

/** Milliseconds of a request by kind of work; the sum is its duration. */
export type TimeBreakdown = Readonly<Record<TimeCategory, number>>;

/** A time span that a section reports. Times are in milliseconds since the request began. */
export interface TimelineEntry {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly category: TimeCategory;
  /** For an entry that combines several: the sum of their durations, without the gaps between them. */
  readonly busyMs?: number;
  /** The span did not end while the request was being recorded. */
  readonly open?: true;
  /** Further information on one line. */
  readonly detail?: string;
  /** `id` of the row of the section's panel that shows more: `query-3`. */
  readonly anchor?: string;
}
