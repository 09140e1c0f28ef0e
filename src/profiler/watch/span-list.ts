import { numbersOfSpan, spanEnd } from '../form/spans.js';
import { spanClock, spanClockOf } from '../form/span-registry.js';

/** Spans of a record. */
export const mostSpans = 384;

/** The stretches of time of one request, as numbers only: see `numbersOfSpan`. */
export class SpanList {
  /** Of `performance.now`: the beginning of the request. */
  readonly start: number = performance.now();
  readonly numbers: number[] = [];
  /** Spans that were not kept. */
  dropped = 0;
  /** The last reading of the clock. */
  #last = 0;

  /** Ticks since the beginning of the request. */
  now(): number {
    const ticks = (performance.now() - this.start) * 10_000 + 0.5;
    // An integer of 32 bits needs no object; above it is 214 seconds.
    return (this.#last = ticks < 2_147_483_647 ? ticks | 0 : Math.floor(ticks));
  }

  /** Gives the place, or −1 where there is no room. */
  enter(id: number): number {
    const place = this.numbers.length;
    if (place >= mostSpans * numbersOfSpan) {
      this.dropped++;
      return -1;
    }
    const begin = spanClockOf(id) === spanClock.endOnly ? this.#last : this.now();
    this.numbers.push(id, begin, begin, spanEnd.open);
    return place;
  }

  leave(place: number, end: number): void {
    const { numbers } = this;
    if (place < 0 || numbers[place + 3] !== spanEnd.open) return;
    const id = numbers[place] ?? 0;
    numbers[place + 2] = spanClockOf(id) === spanClock.beginOnly ? this.#last : this.now();
    numbers[place + 3] = end;
  }

  /** The numbers, those of spans that are open with the end given. */
  endedAt(end: number): readonly number[] {
    const { numbers } = this;
    for (let place = 0; place < numbers.length; place += numbersOfSpan)
      if (numbers[place + 3] === spanEnd.open) numbers[place + 2] = end;
    return numbers;
  }
}
