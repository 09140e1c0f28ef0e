import { endOf, type SpansInput, idOf, numbersOfSpan, spanCode, spanEnd } from '../form/spans.js';
import { type LoopBlock, loopWatch } from './loop-watch.js';
import { spanClock, spanClockOf } from '../form/span-registry.js';

/** Spans of a record. */
export const maxSpans = 384;
/** Numbers that there is room for at once: most requests have fewer than 28 spans. */
const initialNumbers = 28 * numbersOfSpan;

/** The stretches of time of one request, as numbers only. */
export class SpanList implements SpansInput {
  /** Of `performance.now`: the beginning of the request. */
  readonly start: number = performance.now();
  // oxlint-disable-next-line unicorn/no-new-array -- the length is meant: growing it step by step costs more
  readonly numbers: number[] = new Array<number>(initialNumbers);
  length = 0;
  /** Spans that were not kept. */
  dropped = 0;
  /** Who held up the event loop before the request could begin. */
  readonly heldUpBy: LoopBlock | undefined;
  /** The last reading of the clock. */
  #last = 0;
  /** Token of the request. */
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
    this.heldUpBy = loopWatch.begin(token, this.start);
  }

  /** Ticks since the beginning of the request. */
  now(): number {
    const at = performance.now();
    loopWatch.touch(this.#token, at);
    const ticks = (at - this.start) * 10_000 + 0.5;
    // An integer of 32 bits needs no object; above it is 214 seconds.
    return (this.#last = ticks < 2_147_483_647 ? ticks | 0 : Math.floor(ticks));
  }

  /** Gives the place, or −1 where there is no room. */
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

  /** The same, with spans that are open until the end given. */
  endedAt(end: number): SpansInput {
    for (let place = 0; place < this.length; place += numbersOfSpan)
      if (endOf(this.numbers[place] ?? 0) === spanEnd.open) this.numbers[place + 2] = end;
    return this;
  }
}
