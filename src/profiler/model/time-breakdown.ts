/** Kinds of work that a request's time is divided into. Each moment counts for one of them. */
export const timeCategories = ['framework', 'app', 'database', 'http', 'rendering'] as const;

/** One of `timeCategories`. */
export type TimeCategory = (typeof timeCategories)[number];

/** Milliseconds of a request by kind of work; together its whole time. */
export type TimeBreakdown = Readonly<Record<TimeCategory, number>>;

/** A stretch of a request's time that a section reports. Times in milliseconds since the request began. */
export interface TimelineEntry {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly category: TimeCategory;
  /** Of an entry that stands for several: how long they took, without what lay between them. */
  readonly busyMs?: number;
  /** Never ended while the request was watched. */
  readonly open?: true;
  /** What else there is to say, on one line. */
  readonly detail?: string;
  /** `id` of the row of the section's panel that shows more: `query-3`. */
  readonly anchor?: string;
}
