import { performance } from 'node:perf_hooks';
import { hrtime } from 'node:process';
import { nanosToTicks } from './ticks.js';

/** Outcome of a span, as it is kept. */
export const spanFlag = { none: 0, stopped: 1, failed: 2, open: 4 } as const;

const first = 48;
/** Spans of a record. */
export const mostSpans = 384;
const pool: SpanSlots[] = [];

/** Nanoseconds of a monotonic clock. Half the price of `performance.now`, and no object where it is stored at once. */
const readClock = (): bigint => hrtime.bigint();
/** What to take from the clock, in milliseconds, for `performance.now`. */
const clockOrigin = Number(readClock()) / 1e6 - performance.now();

/**
 * Stretches of time of one request, noted without making objects: numbers in arrays that are used again for another
 * request once the record is written.
 */
export class SpanSlots {
  ids: Uint16Array = new Uint16Array(first);
  flags: Uint8Array = new Uint8Array(first);
  count = 0;
  /** Spans that were not kept. */
  dropped = 0;
  /** Readings of the clock: the beginning of the request, then begin and end of each span. */
  #clock: BigInt64Array = new BigInt64Array(first * 2 + 1);
  /** The same as halves, the lower first: a reading is never made an object. */
  #halves: Uint32Array = new Uint32Array(this.#clock.buffer);
  /** Where the last reading is. */
  #last = 0;

  /** Ready for use, from the pool where there is one; the time begins now. */
  static take(): SpanSlots {
    const slots = pool.pop() ?? new SpanSlots();
    slots.#clock[0] = readClock();
    return slots;
  }

  giveBack(): void {
    if (this.ids.length > first || pool.length >= 1000) return;
    this.count = 0;
    this.dropped = 0;
    this.#last = 0;
    pool.push(this);
  }

  /** The beginning, in milliseconds of `performance.now`. */
  get start(): number {
    return (this.#half(1) * 4_294_967_296 + this.#half(0)) / 1e6 - clockOrigin;
  }

  /**
   * Gives the place, or −1 where there is no room. Where it follows at once on what was noted last, that one's time is
   * taken: the clock is the dearest part of this.
   */
  enter(id: number, follows: boolean): number {
    if (this.count >= this.ids.length && !this.#grow()) {
      this.dropped++;
      return -1;
    }
    const place = this.count++;
    this.ids[place] = id;
    this.flags[place] = spanFlag.open;
    this.#note(place * 2 + 1, follows);
    return place;
  }

  leave(place: number, flag: number, follows: boolean): void {
    if (place < 0 || this.flags[place] !== spanFlag.open) return;
    this.flags[place] = flag;
    this.#note(place * 2 + 2, follows);
  }

  /**
   * Puts down, in turn, when each span begins, since the beginning of the one before, and how long it is; gives how many
   * have a flag. `whole`: nanoseconds that the request took, which is when an open span ends.
   */
  ticksInto(ticks: Float64Array, whole: number): number {
    const { count, flags } = this;
    // Below two seconds the lower halves alone tell a difference, whatever they are themselves.
    const isShort = whole < 2e9 && this.#between(0, this.#last) < 2e9;
    let special = 0;
    let before = 0;
    for (let place = 0; place < count; place++) {
      const flag = flags[place];
      const at = place * 2 + 1;
      ticks[place * 2] = nanosToTicks(isShort ? this.#shortBetween(before, at) : this.#between(before, at));
      if (flag === spanFlag.none)
        ticks[place * 2 + 1] = nanosToTicks(
          isShort ? this.#shortBetween(at, at + 1) : this.#between(at, at + 1),
        );
      else {
        special++;
        ticks[place * 2 + 1] = nanosToTicks(
          flag === spanFlag.open ? Math.max(0, whole - this.#between(0, at)) : this.#between(at, at + 1),
        );
      }
      before = at;
    }
    return special;
  }

  #shortBetween(from: number, to: number): number {
    return (this.#half(to * 2) - this.#half(from * 2)) | 0;
  }

  #between(from: number, to: number): number {
    const high = this.#half(to * 2 + 1) - this.#half(from * 2 + 1);
    return high * 4_294_967_296 + (this.#half(to * 2) - this.#half(from * 2));
  }

  #half(at: number): number {
    return this.#halves[at] as number; // within the array
  }

  #note(at: number, follows: boolean): void {
    if (follows) {
      this.#halves[at * 2] = this.#half(this.#last * 2);
      this.#halves[at * 2 + 1] = this.#half(this.#last * 2 + 1);
    } else this.#clock[at] = readClock();
    this.#last = at;
  }

  #grow(): boolean {
    const size = Math.min(mostSpans, this.ids.length * 2);
    if (size <= this.ids.length) return false;
    const { ids, flags } = this;
    this.ids = new Uint16Array(size);
    this.flags = new Uint8Array(size);
    this.ids.set(ids);
    this.flags.set(flags);
    const clock = new BigInt64Array(size * 2 + 1);
    clock.set(this.#clock);
    this.#clock = clock;
    this.#halves = new Uint32Array(clock.buffer);
    return true;
  }
}
