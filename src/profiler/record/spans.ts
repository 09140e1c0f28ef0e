import {
  type RecordedEvent,
  type RecordedListener,
  type RecordedSpan,
  type TimeBreakdown,
  timeCategories,
  type TimeCategory,
} from '../model/profile-record.js';

const ticksPerMs = 10_000;

/** Converts ticks of 0.1 µs, the unit of the times in a recording, to milliseconds. */
export function fromTicks(ticks: number): number {
  return ticks / ticksPerMs;
}

/** How a span ended; `open`: it did not end. */
export const spanEnd = { plain: 0, stopped: 1, failed: 2, open: 3 } as const;
/** Numbers per span in a recording: its kind combined with how it ended (`spanCode`), its start and its end in ticks. */
export const numbersOfSpan = 3;
const ends = 4;

export function spanCode(id: number, end: number): number {
  return id * ends + end;
}

export function idOf(code: number): number {
  return Math.floor(code / ends);
}

export function endOf(code: number): number {
  return code % ends;
}

/** Description of a kind of span. */
export interface SpanKind {
  /** Name of the stage, listener, … */
  readonly name: string;
  /** `stage`, `listener`, `controller`, or a category of a collector. */
  readonly category: string;
  /** Event and priority of a listener. */
  readonly event?: string;
  readonly priority?: number;
  /** Place where a listener was added: `file:line:column`. */
  readonly place?: string;
}

const unknownKind: SpanKind = { name: 'further kinds', category: 'other' };

/** Returns the spans of a recording as bars of the timeline. `kinds`: the registered kinds by id. */
export function timelineOf(numbers: readonly number[], kinds: readonly SpanKind[]): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  for (let at = 0; at + 2 < numbers.length; at += numbersOfSpan) {
    const code = numbers[at] ?? 0;
    const { name, category } = kinds[idOf(code)] ?? unknownKind;
    const begin = numbers[at + 1] ?? 0;
    const span = {
      name,
      category,
      startMs: fromTicks(begin),
      durationMs: fromTicks((numbers[at + 2] ?? 0) - begin),
    };
    spans.push(endOf(code) === spanEnd.open ? { ...span, open: true as const } : span);
  }
  return spans;
}

/**
 * Groups listeners by dispatch: under the stage with the name of the event, or else under an entry made of the listeners.
 * `timeline`: that of the same numbers.
 */
export function eventsOf(
  numbers: readonly number[],
  kinds: readonly SpanKind[],
  timeline: readonly RecordedSpan[],
): RecordedEvent[] {
  const events: { event: string; startMs: number; durationMs: number; listeners: RecordedListener[] }[] = [];
  const latest = new Map<string, (typeof events)[number]>();
  const begin = (event: string, startMs: number, durationMs: number): (typeof events)[number] => {
    const entry = { event, startMs, durationMs, listeners: [] };
    latest.set(event, entry);
    events.push(entry);
    return entry;
  };
  for (const [place, span] of timeline.entries()) {
    if (span.category === 'stage') begin(span.name, span.startMs, span.durationMs);
    if (span.category !== 'listener') continue;
    const code = numbers[place * numbersOfSpan] ?? 0;
    const kind = kinds[idOf(code)] ?? unknownKind;
    const event = latest.get(kind.event ?? '') ?? begin(kind.event ?? '', span.startMs, 0);
    event.listeners.push(toListener(span, kind, endOf(code)));
  }
  for (const event of events) event.durationMs ||= listenersDuration(event);
  return events;
}

function toListener(
  { name, startMs, durationMs }: RecordedSpan,
  { priority = 0, place = '' }: SpanKind,
  end: number,
): RecordedListener {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  return {
    name,
    ...(file === undefined ? {} : { place: { file, line: Number(line), column: Number(column) } }),
    priority,
    startMs,
    durationMs,
    stopped: end === spanEnd.stopped,
    failed: end === spanEnd.failed,
  };
}

function listenersDuration(event: RecordedEvent): number {
  const ends = event.listeners.map((listener) => listener.startMs + listener.durationMs);
  return Math.max(event.startMs, ...ends) - event.startMs;
}

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
