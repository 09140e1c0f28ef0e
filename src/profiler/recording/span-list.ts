import {
  endOf,
  fromTicks,
  idOf,
  numbersOfSpan,
  spanCode,
  spanEnd,
  type SpanKind,
} from '../encoding/spans.js';
import { loopWatch, RunTimes } from './loop-watch.js';

export type { SpanKind } from '../encoding/spans.js';

/** Registered span kinds by id. Module state, because spans are registered once per process. */
const kinds: SpanKind[] = [];
const numbers = new Map<string, number>(); // module state: ids of registered kinds by key
const maxKinds = 20_000;
const clocks = new Uint8Array(maxKinds);
/**
 * The ends at which the clock is read. The other end reuses the last reading, because spans follow one
 * another.
 */
const spanClock = { both: 0, endOnly: 1, beginOnly: 2 } as const;
const maxNameLength = 300;

/**
 * Registers a span kind and returns its id, so that recordings need not create an object per span. Call it
 * once per listener, not per request. Equal descriptions share one id.
 */
export function registerSpan({ category, event = '', priority = 0, name, location = '' }: SpanKind): number {
  const kind = { name: name.slice(0, maxNameLength), category, event, priority, location };
  const text = [category, event, priority, location, kind.name].join('\0');
  const known = numbers.get(text);
  if (known !== undefined) return known;
  if (kinds.length >= maxKinds) return 0;
  numbers.set(text, kinds.length);
  if (category === 'listener') clocks[kinds.length] = spanClock.endOnly;
  if (category === 'stage') clocks[kinds.length] = spanClock.beginOnly;
  return kinds.push(kind) - 1;
}

registerSpan({ name: 'further kinds', category: 'other' });

function spanClockOf(id: number): number {
  return clocks[id] ?? spanClock.both;
}

/** Returns where a listener was added, as `file:line:column`; empty if unknown. */
export function spanPlaceOf(id: number): string {
  return kinds[id]?.location ?? '';
}

export function spanNameOf(id: number): string {
  return (kinds[id] ?? kinds[0])?.name ?? '';
}

/** Returns the registered kinds, indexed by id. */
export function spanKinds(): readonly SpanKind[] {
  return kinds;
}

export const maxSpans = 384;

/**
 * Pool of reusable arrays, because growing a new one copies it four times. Contents are overwritten before
 * they are read.
 */
const spare: number[][] = [];
const maxSpare = 256;
const maxSpareLength = 600;

/** One request's spans, stored as plain numbers (`numbersOfSpan` per span). */
export class SpanList {
  /** Start of the request on the `performance.now` clock. */
  readonly start: number = performance.now();
  #numbers: number[] = spare.pop() ?? [];
  /** How much of `#numbers` is used. */
  #length = 0;
  dropped = 0;
  #last = 0;
  /** Times when the request's code ran. */
  readonly times: RunTimes;

  constructor(id: number) {
    this.times = new RunTimes(id);
    loopWatch.begin(this.times, this.start);
  }

  /** Returns the ticks since the request began. */
  now(): number {
    const ticks = (performance.now() - this.start) * 10_000 + 0.5;
    // A 32-bit integer needs no heap allocation; it overflows only after 214 seconds.
    return (this.#last = ticks < 2_147_483_647 ? ticks | 0 : Math.floor(ticks));
  }

  milliseconds(): number {
    return fromTicks(this.now());
  }

  /** Begins a span. Returns its index, or −1 if the list is full. */
  enter(id: number): number {
    const index = this.#length;
    if (index >= maxSpans * numbersOfSpan) {
      this.dropped++;
      return -1;
    }
    const numbers = this.#numbers;
    const begin = spanClockOf(id) === spanClock.endOnly ? this.#last : this.now();
    numbers[index] = spanCode(id, spanEnd.open);
    numbers[index + 1] = begin;
    numbers[index + 2] = begin;
    this.#length = index + numbersOfSpan;
    return index;
  }

  leave(index: number, end: number): void {
    if (index < 0 || index >= this.#length) return;
    const numbers = this.#numbers;
    const code = numbers[index] ?? 0;
    if (endOf(code) !== spanEnd.open) return;
    const id = idOf(code);
    numbers[index + 2] = spanClockOf(id) === spanClock.beginOnly ? this.#last : this.now();
    numbers[index] = spanCode(id, end);
  }

  /**
   * Returns the numbers after closing open spans at `end`. The array is owned by the list until `release`.
   */
  endAt(end: number): readonly number[] {
    const numbers = this.#numbers;
    const length = this.#length;
    for (let index = 0; index < length; index += numbersOfSpan)
      if (endOf(numbers[index] ?? 0) === spanEnd.open) numbers[index + 2] = end;
    if (numbers.length > length) numbers.length = length; // V8 is slow even when the length stays the same
    return numbers;
  }

  /** Returns the array to the pool when the request ends. */
  release(): void {
    const numbers = this.#numbers;
    this.#numbers = [];
    this.#length = 0;
    loopWatch.end();
    if (spare.length < maxSpare && numbers.length <= maxSpareLength) spare.push(numbers);
  }
}
