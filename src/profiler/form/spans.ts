import type { PackWriter } from '../pack/pack-writer.js';
import type { PieceReader } from '../pack/pack-reader.js';
import type { RecordedEvent, RecordedListener, RecordedSpan } from '../model/profile-record.js';
import { readSpanWord, spanWord } from './span-registry.js';
import { fromTicks } from './ticks.js';

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

/** Spans of a recording: the first `length` of the numbers. */
export interface SpansInput {
  readonly numbers: readonly number[];
  readonly length: number;
}

/** A decoded span, including the fields of listeners. */
export interface ReadSpan extends RecordedSpan {
  readonly event: string;
  readonly priority: number;
  readonly place?: string;
  readonly end: number;
}

/** Writes spans, which are given in the order of their starts. */
export function writeSpans(out: PackWriter, { numbers, length }: SpansInput): void {
  out.number(length / numbersOfSpan);
  let before = 0;
  for (let at = 0; at < length; at += numbersOfSpan) {
    const code = numbers[at] ?? 0;
    const begin = numbers[at + 1] ?? 0;
    const end = endOf(code);
    out.numberedWord(idOf(code), spanWord);
    out.signed(begin - before);
    out.number(((numbers[at + 2] ?? 0) - begin) * 2 + (end === spanEnd.plain ? 0 : 1));
    if (end !== spanEnd.plain) out.number(end);
    before = begin;
  }
}

export function readSpans(from: PieceReader): ReadSpan[] {
  let begin = 0;
  return Array.from({ length: from.count() }, () => {
    const { name, category, event, priority, place } = readSpanWord(from.word() ?? '');
    begin += from.signed();
    const code = from.number();
    const end = code % 2 === 0 ? spanEnd.plain : from.number();
    const durationMs = fromTicks(Math.floor(code / 2));
    const open = end === spanEnd.open ? { open: true as const } : {};
    return {
      name,
      category,
      startMs: fromTicks(begin),
      durationMs,
      ...open,
      event,
      priority,
      end,
      ...(place === undefined ? {} : { place }),
    };
  });
}

export function timelineOf(spans: readonly ReadSpan[]): RecordedSpan[] {
  return spans.map(({ event: _event, priority: _priority, place: _place, end: _end, ...span }) => span);
}

/** Groups listeners by dispatch: under the stage with the name of the event, or else under an entry made of the listeners. */
export function eventsOf(spans: readonly ReadSpan[]): RecordedEvent[] {
  const events: (RecordedEvent & { listeners: RecordedListener[] })[] = [];
  const latest = new Map<string, (typeof events)[number]>();
  const begin = (event: string, startMs: number, durationMs: number): (typeof events)[number] => {
    const entry = { event, startMs, durationMs, listeners: [] };
    latest.set(event, entry);
    events.push(entry);
    return entry;
  };
  for (const span of spans) {
    if (span.category === 'stage') begin(span.name, span.startMs, span.durationMs);
    if (span.category !== 'listener') continue;
    const event = latest.get(span.event) ?? begin(span.event, span.startMs, 0);
    event.listeners.push(toListener(span));
  }
  return events.map((event) => ({ ...event, durationMs: event.durationMs || listenersDuration(event) }));
}

function toListener({ name, priority, place = '', startMs, durationMs, end }: ReadSpan): RecordedListener {
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
