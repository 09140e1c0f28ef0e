import { timeUseOf } from './time-use.js';

/**
 * Categories of a request's time; each moment counts for one. First the active ones; then `waiting` for something that
 * is not watched, `busy` for the machine, and `unaccounted` for unknown.
 */
export const timeCategories = [
  'framework',
  'app',
  'database',
  'http',
  'rendering',
  'profiler',
  'waiting',
  'busy',
  'unaccounted',
] as const;

/** One of `timeCategories`. */
export type TimeCategory = (typeof timeCategories)[number];

/** Milliseconds of a request by category; they add up to its duration. */
export type TimeBreakdown = Readonly<Record<TimeCategory, number>>;

/** Names of the categories. */
export const categoryWords: Readonly<Record<TimeCategory, string>> = {
  framework: 'framework',
  app: 'your code',
  database: 'database',
  http: 'outgoing',
  rendering: 'rendering',
  profiler: 'lookback',
  waiting: 'waiting',
  busy: 'the machine was busy',
  unaccounted: 'not accounted for',
};

/** Category names at the beginning of a sentence. */
export const largestWords: Readonly<Record<TimeCategory, string>> = {
  framework: 'The framework',
  app: 'Your code',
  database: 'The database',
  http: 'Waiting for outgoing calls',
  rendering: 'Rendering',
  profiler: 'The profiler',
  waiting: 'Waiting for something that lookback does not watch',
  busy: 'Other processes on a busy machine',
  unaccounted: 'Time that no step accounts for',
};

/** The span fields used by the breakdown. */
export interface CountedSpan {
  readonly category: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly busyMs?: number | undefined;
}

/** Categories that are awaited. They take precedence over the code that waits, regardless of which began first. */
const awaitedCategories: readonly TimeCategory[] = ['database', 'http'];
const knownCategories: ReadonlySet<string> = new Set(timeCategories);

/** Returns a span's category: stages and listeners belong to the framework, handlers and their layers to the application. */
export function timeCategoryOf(category: string): TimeCategory {
  if (knownCategories.has(category)) return category as TimeCategory; // just checked
  return category === 'stage' || category === 'listener' ? 'framework' : 'app';
}

/** Input for a breakdown: record fields. */
interface DividedRequest {
  readonly durationMs: number;
  readonly timeline: readonly CountedSpan[];
  readonly sections?: Readonly<Record<string, unknown>>;
}

/** Returns a request's time breakdown: computed from a record, or as stored in a summary. */
export function breakdownOf(request: DividedRequest | { readonly breakdown: TimeBreakdown }): TimeBreakdown {
  return 'breakdown' in request ? request.breakdown : divideTime(request);
}

const noTime: TimeBreakdown = {
  framework: 0,
  app: 0,
  database: 0,
  http: 0,
  rendering: 0,
  profiler: 0,
  waiting: 0,
  busy: 0,
  unaccounted: 0,
};

/** Attributes each moment to one category: an active query or call, or else the innermost span, if its code ran. */
function divideTime(request: DividedRequest): TimeBreakdown {
  const { timeline, durationMs: total } = request;
  const use = timeUseOf(request);
  const sum: Record<TimeCategory, number> = { ...noTime };
  // Under another framework, unattributed code belongs to the application.
  const uncovered =
    use.isKnown && !timeline.some(({ category }) => category === 'stage') ? 'app' : 'unaccounted';
  const intervals = intervalsOf(timeline, { total, withWaiting: !use.isKnown });
  let active: typeof intervals = [];
  let at = 0;
  const count = (to: number): void => {
    const { ranMs, waitedMs, unknownMs, profilerMs, busyMs } = use.between(at, to);
    sum.profiler += profilerMs;
    sum.busy += busyMs;
    const isActive = (category: TimeCategory): boolean => active.some((one) => one.category === category);
    const code = isActive('rendering') ? 'rendering' : (active.at(-1)?.category ?? uncovered);
    const whole = awaitedCategories.find(isActive) ?? (isActive('waiting') ? 'waiting' : undefined);
    if (whole !== undefined || !use.isKnown) sum[whole ?? code] += ranMs + waitedMs + unknownMs;
    else {
      sum[code] += ranMs;
      sum.waiting += waitedMs;
      sum.unaccounted += unknownMs;
    }
    at = to;
  };
  const countTo = (time: number): void => {
    while (at < time) {
      const edge = active.reduce((first, { to }) => Math.min(first, to), time);
      count(edge);
      active = active.filter(({ to }) => to > edge);
    }
  };
  for (const interval of intervals) {
    countTo(interval.from);
    active.push(interval);
  }
  countTo(total);
  return sum;
}

/** Returns the spans within the request by start. Process stops are not spans, because their position is unknown. */
function intervalsOf(
  spans: readonly CountedSpan[],
  { total, withWaiting }: { readonly total: number; readonly withWaiting: boolean },
): { readonly category: TimeCategory; readonly from: number; readonly to: number }[] {
  return spans
    .map(({ category, startMs, durationMs, busyMs = durationMs }) => ({
      category: timeCategoryOf(category),
      from: Math.min(Math.max(startMs, 0), total),
      to: Math.min(Math.max(startMs + busyMs, 0), total),
    }))
    .filter(
      ({ category, from, to }) => to > from && category !== 'busy' && (withWaiting || category !== 'waiting'),
    )
    .sort((a, b) => a.from - b.from);
}
