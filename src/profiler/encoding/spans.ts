import type { RecordedEvent, RecordedListener, RecordedSpan } from '../model/profile-record.js';

const ticksPerMs = 10_000;

/** Converts 0.1 µs ticks, the time unit in recordings, to milliseconds. */
export function fromTicks(ticks: number): number {
  return ticks / ticksPerMs;
}

/** How a span ended; `open` means that it did not. */
export const spanEnd = { plain: 0, stopped: 1, failed: 2, open: 3 } as const;
/** Numbers per span in a recording: kind and outcome combined (`spanCode`), start, and end, both in ticks. */
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

/** Describes a span kind. */
export interface SpanKind {
  readonly name: string;
  /** `stage`, `listener`, `controller`, or a collector's category. */
  readonly category: string;
  /** A listener's event and priority. */
  readonly event?: string;
  readonly priority?: number;
  /** Where a listener was added: `file:line:column`. */
  readonly location?: string;
}

const unknownKind: SpanKind = { name: 'further kinds', category: 'other' };

/** Converts a recording's spans to timeline bars. `kinds` are the registered kinds by id. */
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
 * Groups listeners by dispatch: under the event's stage, or an entry made for them. `timeline` has the same numbers.
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
  for (const [index, span] of timeline.entries()) {
    if (span.category === 'stage') begin(span.name, span.startMs, span.durationMs);
    if (span.category !== 'listener') continue;
    const code = numbers[index * numbersOfSpan] ?? 0;
    const kind = kinds[idOf(code)] ?? unknownKind;
    const event = latest.get(kind.event ?? '') ?? begin(kind.event ?? '', span.startMs, 0);
    event.listeners.push(toListener(span, kind, endOf(code)));
  }
  for (const event of events) event.durationMs ||= listenersDuration(event);
  return events;
}

function toListener(
  { name, startMs, durationMs }: RecordedSpan,
  { priority = 0, location = '' }: SpanKind,
  end: number,
): RecordedListener {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(location) ?? [];
  return {
    name,
    ...(file === undefined ? {} : { location: { file, line: Number(line), column: Number(column) } }),
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
