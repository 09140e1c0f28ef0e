/** Kinds of work in a request's time. Each moment counts for one; for `unaccounted` if nothing covers it. */
export const timeCategories = ['framework', 'app', 'database', 'http', 'rendering', 'unaccounted'] as const;

/** One of `timeCategories`. */
export type TimeCategory = (typeof timeCategories)[number];

/** Milliseconds of a request by kind of work; the sum is its duration. */
export type TimeBreakdown = Readonly<Record<TimeCategory, number>>;

/** Names of the kinds of work. */
export const categoryWords: Readonly<Record<TimeCategory, string>> = {
  framework: 'framework',
  app: 'app',
  database: 'database',
  http: 'outgoing',
  rendering: 'rendering',
  unaccounted: 'not accounted for',
};

/** The kinds of work at the beginning of a sentence. */
export const largestWords: Readonly<Record<TimeCategory, string>> = {
  framework: 'The framework',
  app: 'The code of the application',
  database: 'The database',
  http: 'Waiting for outgoing calls',
  rendering: 'Rendering',
  unaccounted: 'Time that no step accounts for',
};

/** The fields of a span that the breakdown uses. */
export interface CountedSpan {
  readonly category: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly busyMs?: number | undefined;
}

/** Categories of waiting, also for a processor. They take precedence over the code that waits, whichever began first. */
const waitingCategories: readonly TimeCategory[] = ['database', 'http', 'rendering', 'unaccounted'];
const knownCategories: ReadonlySet<string> = new Set(timeCategories);

/** Returns the time category of a span: stages and listeners belong to the framework, handlers and their layers to the application. */
export function timeCategoryOf(category: string): TimeCategory {
  if (knownCategories.has(category)) return category as TimeCategory; // just checked
  return category === 'stage' || category === 'listener' ? 'framework' : 'app';
}

/** Returns the breakdown of a request's time: computed from the timeline of a record, or as stored in a summary. */
export function breakdownOf(
  request:
    | { readonly durationMs: number; readonly timeline: readonly CountedSpan[] }
    | { readonly breakdown: TimeBreakdown },
): TimeBreakdown {
  return 'breakdown' in request ? request.breakdown : divideTime(request.timeline, request.durationMs);
}

/** Attributes each moment to one category: of an active query, call or rendering; otherwise of the innermost span. */
function divideTime(spans: readonly CountedSpan[], total: number): TimeBreakdown {
  const sum = { framework: 0, app: 0, database: 0, http: 0, rendering: 0, unaccounted: 0 };
  const intervals = spans
    .map(({ category, startMs, durationMs, busyMs = durationMs }) => ({
      category: timeCategoryOf(category),
      from: Math.min(Math.max(startMs, 0), total),
      to: Math.min(Math.max(startMs + busyMs, 0), total),
    }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  let active: typeof intervals = [];
  let at = 0;
  let counted = 0;
  const countTo = (time: number): void => {
    while (active.length > 0 && at < time) {
      const edge = active.reduce((first, { to }) => Math.min(first, to), time);
      const innermost = active.at(-1)?.category ?? 'unaccounted';
      const waited = waitingCategories.find((category) => active.some((one) => one.category === category));
      sum[waited ?? innermost] += edge - at;
      counted += edge - at;
      active = active.filter(({ to }) => to > edge);
      at = edge;
    }
    at = time;
  };
  for (const interval of intervals) {
    countTo(interval.from);
    active.push(interval);
  }
  countTo(total);
  sum.unaccounted += total - counted;
  return sum;
}
