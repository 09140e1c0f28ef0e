import { endOf, type SpansInput, idOf, numbersOfSpan, spanCode, spanEnd } from '../form/spans.js';
import { type LoopBlock, loopWatch } from './loop-watch.js';
import { spanClock, spanClockOf } from '../form/span-registry.js';

/** Maximum number of spans of a record. */
export const maxSpans = 384;
/** Initial capacity: most requests have fewer than 28 spans. */
const initialNumbers = 28 * numbersOfSpan;

/** Spans of one request, stored as plain numbers (`numbersOfSpan` per span). */
export class SpanList implements SpansInput {
  /** Start of the request on the clock of `performance.now`. */
  readonly start: number = performance.now();
  // oxlint-disable-next-line unicorn/no-new-array -- preallocated: growing it step by step costs more
  readonly numbers: number[] = new Array<number>(initialNumbers);
  length = 0;
  /** Number of spans that were not kept. */
  dropped = 0;
  /** The block of the event loop that delayed the beginning of the request. */
  readonly blockedBy: LoopBlock | undefined;
  /** Last reading of the clock. */
  #last = 0;
  /** Token of the request, which identifies it to `loopWatch`. */
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
    this.blockedBy = loopWatch.begin(token, this.start);
  }

  /** Returns the ticks since the beginning of the request. */
  now(): number {
    const at = performance.now();
    loopWatch.touch(this.#token, at);
    const ticks = (at - this.start) * 10_000 + 0.5;
    // A 32-bit integer needs no heap object; it overflows only after 214 seconds.
    return (this.#last = ticks < 2_147_483_647 ? ticks | 0 : Math.floor(ticks));
  }

  /** Begins a span. Returns its place, or −1 if the list is full. */
  enter(id: number): number {
    const place = this.length;
    if (place >= maxSpans * numbersOfSpan) {
      this.dropped++;
      return -1;
    }
    const { numbers } = this;
    const begin = spanClockOf(id) === spanClock.endOnly ? this.#last : this.now();
    numbers[place] = spanCode(id, spanEnd.open);
    numbers[place + 1] = begin;
    numbers[place + 2] = begin;
    this.length = place + numbersOfSpan;
    return place;
  }

  leave(place: number, end: number): void {
    const { numbers } = this;
    const code = numbers[place] ?? 0;
    if (place < 0 || place >= this.length || endOf(code) !== spanEnd.open) return;
    const id = idOf(code);
    numbers[place + 2] = spanClockOf(id) === spanClock.beginOnly ? this.#last : this.now();
    numbers[place] = spanCode(id, end);
  }

  /** Sets the end of spans that are still open, and returns the list. */
  endedAt(end: number): SpansInput {
    for (let place = 0; place < this.length; place += numbersOfSpan)
      if (endOf(this.numbers[place] ?? 0) === spanEnd.open) this.numbers[place + 2] = end;
    return this;
  }
}
