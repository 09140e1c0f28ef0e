import type { RecordedEvent, RecordedListener, RecordedSpan } from '../model/profile-record.js';
import type { PackReader } from './pack-reader.js';
import type { PackWriter } from './pack-writer.js';
import { describeSpan } from './span-registry.js';
import { mostSpans, spanFlag, type SpanSlots } from './span-slots.js';
import { fromTicks } from './ticks.js';
import type { WordReader } from './word-reader.js';

const mostKnown = 32;

/**
 * Writes the stretches of time of a request: which they were, as a list that most requests share with others of their
 * route, then begin and duration of each.
 */
export class SpanListWriter {
  readonly #pack: PackWriter;
  /** Room for the times of one record. */
  readonly #ticks: Float64Array = new Float64Array(mostSpans * 2);
  /** Lists that were written, those seen last first. */
  readonly #known: { readonly ids: Uint16Array; readonly number: number }[] = [];

  constructor(pack: PackWriter) {
    this.#pack = pack;
  }

  /** Which stretches there were belongs to the shape of a record. */
  describe({ ids, count }: SpanSlots): void {
    this.#pack.shapes.add(count);
    if (count > 0) this.#pack.shapes.add(this.#numberOf(ids, count));
  }

  /** When they were. `whole`: nanoseconds that the request took, which is when an open span ends. */
  write(slots: SpanSlots, whole: number): void {
    const { tape } = this.#pack;
    const special = slots.ticksInto(this.#ticks, whole);
    const { count, flags } = slots;
    tape.numbers(this.#ticks, count * 2);
    tape.number(special);
    for (let at = 0; at < count && special > 0; at++) {
      const flag = flags[at] ?? 0;
      if (flag === spanFlag.none) continue;
      tape.number(at);
      tape.number(flag);
    }
  }

  #numberOf(ids: Uint16Array, count: number): number {
    const known = this.#known;
    for (let at = 0; at < known.length; at++) {
      const list = known[at];
      if (list === undefined || list.ids.length !== count || !sameNumbers(list.ids, ids)) continue;
      const first = known[0];
      if (at > 0 && first !== undefined) [known[0], known[at]] = [list, first];
      return list.number;
    }
    return this.#addList(ids.slice(0, count));
  }

  #addList(ids: Uint16Array): number {
    const words: number[] = [];
    for (const id of ids) words.push(this.#pack.words.numberOf(describeSpan(id)) + 1);
    const number = this.#pack.addList(words);
    this.#known.unshift({ ids, number });
    if (this.#known.length > mostKnown) this.#known.pop();
    return number;
  }
}

function sameNumbers(list: Uint16Array, longer: Uint16Array): boolean {
  for (let at = 0; at < list.length; at++) if (list[at] !== longer[at]) return false;
  return true;
}

/** A span with what a listener adds to it. */
interface ReadSpan extends RecordedSpan {
  readonly event: string;
  readonly priority: number;
  readonly flag: number;
}

export function readSpanList(
  shape: WordReader,
  pack: PackReader,
): { timeline: RecordedSpan[]; events: RecordedEvent[] } {
  const count = shape.number();
  const words = count === 0 ? [] : (pack.lists[shape.number()] ?? []);
  const flags = new Map<number, number>();
  const times: number[] = [];
  for (let at = 0; at < count * 2; at++) times.push(pack.number());
  const special = pack.number();
  for (let at = 0; at < special; at++) flags.set(pack.number(), pack.number());
  const spans: ReadSpan[] = [];
  let startTicks = 0;
  for (let at = 0; at < count; at++) {
    startTicks += times[at * 2] ?? 0;
    const word = words[at] ?? 0;
    // Written by describeSpan; an empty list stands for a table that was full.
    const [category = 'other', event = '', priority = 0, name = ''] = JSON.parse(
      word === 0 ? '[]' : pack.wordAt(word - 1),
    ) as [string?, string?, number?, string?];
    const flag = flags.get(at) ?? 0;
    spans.push({
      name,
      category,
      startMs: fromTicks(startTicks),
      durationMs: fromTicks(times[at * 2 + 1] ?? 0),
      ...(flag === spanFlag.open ? { open: true as const } : {}),
      event,
      priority,
      flag,
    });
  }
  return { timeline: spans.map(toTimeline), events: toEvents(spans) };
}

function toTimeline(span: ReadSpan): RecordedSpan {
  const { name, category, startMs, durationMs, open } = span;
  return { name, category, startMs, durationMs, ...(open === undefined ? {} : { open }) };
}

/** Listeners under their dispatch: the stage of the event's name if there is one, else the run of listeners itself. */
function toEvents(spans: readonly ReadSpan[]): RecordedEvent[] {
  const events: (RecordedEvent & { listeners: RecordedListener[] })[] = [];
  const open = new Map<string, (typeof events)[number]>();
  for (const span of spans) {
    if (span.category === 'stage') {
      const { name, startMs, durationMs } = span;
      const event = { event: name, startMs, durationMs, listeners: [] };
      open.set(name, event);
      events.push(event);
    }
    if (span.category !== 'listener') continue;
    let event = open.get(span.event);
    if (event === undefined) {
      event = { event: span.event, startMs: span.startMs, durationMs: 0, listeners: [] };
      open.set(span.event, event);
      events.push(event);
    }
    event.listeners.push(toListener(span));
  }
  return events.map((event) => ({ ...event, durationMs: event.durationMs || spread(event) }));
}

function toListener({ name, priority, startMs, durationMs, flag }: ReadSpan): RecordedListener {
  return {
    name,
    priority,
    startMs,
    durationMs,
    stopped: flag === spanFlag.stopped,
    failed: flag === spanFlag.failed,
  };
}

function spread(event: RecordedEvent): number {
  const ends = event.listeners.map((listener) => listener.startMs + listener.durationMs);
  return Math.max(event.startMs, ...ends) - event.startMs;
}
