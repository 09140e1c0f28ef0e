import { endOf, fromTicks, idOf, numbersOfSpan, spanCode, spanEnd } from '../record/spans.js';
import { loopWatch } from './loop-watch.js';
import { spanClock, spanClockOf } from './span-registry.js';

/** Maximum number of spans of a record. */
export const maxSpans = 384;

/** Spans of one request, stored as plain numbers (`numbersOfSpan` per span). */
export class SpanList {
  /** Start of the request on the clock of `performance.now`. */
  readonly start: number = performance.now();
  readonly numbers: number[] = [];
  /** Number of spans that were not kept. */
  dropped = 0;
  /** Last reading of the clock. */
  #last = 0;
  /** Identifies the request to `loopWatch`. */
  readonly #id: number;

  constructor(id: number) {
    this.#id = id;
    loopWatch.begin(id, this.start);
  }

  /** Returns the ticks since the beginning of the request. */
  now(): number {
    const at = performance.now();
    loopWatch.touch(this.#id, at);
    const ticks = (at - this.start) * 10_000 + 0.5;
    // A 32-bit integer needs no heap object; it overflows only after 214 seconds.
    return (this.#last = ticks < 2_147_483_647 ? ticks | 0 : Math.floor(ticks));
  }

  /** Returns the milliseconds since the beginning of the request. */
  milliseconds(): number {
    return fromTicks(this.now());
  }

  /** Begins a span. Returns its place, or −1 if the list is full. */
  enter(id: number): number {
    const { numbers } = this;
    const place = numbers.length;
    if (place >= maxSpans * numbersOfSpan) {
      this.dropped++;
      return -1;
    }
    const begin = spanClockOf(id) === spanClock.endOnly ? this.#last : this.now();
    numbers.push(spanCode(id, spanEnd.open), begin, begin);
    return place;
  }

  leave(place: number, end: number): void {
    const { numbers } = this;
    const code = numbers[place] ?? 0;
    if (place < 0 || place >= numbers.length || endOf(code) !== spanEnd.open) return;
    const id = idOf(code);
    numbers[place + 2] = spanClockOf(id) === spanClock.beginOnly ? this.#last : this.now();
    numbers[place] = spanCode(id, end);
  }

  /** Sets the end of spans that are still open. */
  endAt(end: number): void {
    const { numbers } = this;
    for (let place = 0; place < numbers.length; place += numbersOfSpan)
      if (endOf(numbers[place] ?? 0) === spanEnd.open) numbers[place + 2] = end;
  }
}
