import {
  type RecordedSpan,
  type TimeBreakdown,
  timeCategories,
  type TimeCategory,
} from '../model/profile-record.js';

/** The fields of a span that the breakdown uses. */
export type CountedSpan = Pick<RecordedSpan, 'category' | 'startMs' | 'durationMs' | 'busyMs'>;

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

/**
 * Attributes each moment to exactly one category: to an active query, outgoing call or rendering; otherwise to the
 * innermost span; otherwise to none.
 */
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
