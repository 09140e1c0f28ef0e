import type { RecordedSpan } from '../model/profile-record.js';
import { type TimeBreakdown, timeCategories, type TimeCategory } from '../model/time-breakdown.js';
import { type SpansInput, idOf, numbersOfSpan } from './spans.js';
import { spanCategoryOf, spanClock, spanClockOf } from './span-registry.js';
import { fromTicks } from './ticks.js';

/** The fields of a span that the breakdown uses. */
export type CountedSpan = Pick<RecordedSpan, 'category' | 'startMs' | 'durationMs' | 'busyMs'>;

/** Categories of waiting. They take precedence over the code that waits, whichever began first. */
const waitingCategories: readonly TimeCategory[] = ['database', 'http', 'rendering'];
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

/** Computes the breakdown when a record is closed. `reported`: the spans that its sections report. */
export function breakdownOfSpans(
  spans: SpansInput,
  reported: readonly CountedSpan[],
  total: number,
): TimeBreakdown {
  if (reported.length === 0) {
    const handler = onlyAppSpan(spans);
    if (handler !== undefined) return ofOnly(handler, spans, total);
  }
  const counted: CountedSpan[] = [];
  let appEnd = 0;
  for (let at = 0; at < spans.length; at += numbersOfSpan) {
    const id = idOf(spans.numbers[at] ?? 0);
    const begin = spans.numbers[at + 1] ?? 0;
    const end = spans.numbers[at + 2] ?? 0;
    const isApp = spanClockOf(id) === spanClock.both;
    // Framework spans matter only inside application spans; elsewhere, framework is the default anyway.
    if (!isApp && begin >= appEnd) continue;
    if (isApp) appEnd = Math.max(appEnd, end);
    counted.push({
      category: spanCategoryOf(id),
      startMs: fromTicks(begin),
      durationMs: fromTicks(end - begin),
    });
  }
  return divideTime(reported.length === 0 ? counted : [...counted, ...reported], total);
}

/** Fast path for most requests: returns the place of the only application span, if it contains no framework spans. */
function onlyAppSpan({ numbers, length }: SpansInput): number | undefined {
  let only: number | undefined;
  let appEnd = 0;
  for (let at = 0; at < length; at += numbersOfSpan) {
    const isApp = spanClockOf(idOf(numbers[at] ?? 0)) === spanClock.both;
    if (!isApp && (numbers[at + 1] ?? 0) >= appEnd) continue;
    if (only !== undefined) return undefined;
    only = at;
    appEnd = numbers[at + 2] ?? 0;
  }
  return only;
}

function ofOnly(place: number, { numbers }: SpansInput, total: number): TimeBreakdown {
  const sum = { framework: 0, app: 0, database: 0, http: 0, rendering: 0 };
  const from = Math.min(fromTicks(numbers[place + 1] ?? 0), total);
  const to = Math.min(fromTicks(numbers[place + 2] ?? 0), total);
  sum[timeCategoryOf(spanCategoryOf(idOf(numbers[place] ?? 0)))] += to - from;
  sum.framework += total - (to - from);
  return sum;
}

/**
 * Attributes each moment to exactly one category: to an active query, outgoing call or rendering; otherwise to the
 * innermost span; otherwise to the framework.
 */
function divideTime(spans: readonly CountedSpan[], total: number): TimeBreakdown {
  const sum: Record<TimeCategory, number> = { framework: 0, app: 0, database: 0, http: 0, rendering: 0 };
  if (spans.length === 0) return { ...sum, framework: total };
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
      const innermost = active.at(-1)?.category ?? 'framework';
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
  sum.framework += total - counted;
  return sum;
}
