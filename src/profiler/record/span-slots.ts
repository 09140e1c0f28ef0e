import { now, readClock, toMilliseconds } from './monotonic-clock.js';
import { nanosToTicks } from './ticks.js';

/** Outcome of a span, as it is kept. */
export const spanFlag = { none: 0, stopped: 1, failed: 2, open: 4 } as const;

const first = 48;
/** Spans of a record. */
export const mostSpans = 384;
const pool: SpanSlots[] = [];

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
  /** Which reading of the clock each span begins and ends with. */
  #begins: Uint16Array = new Uint16Array(first);
  #ends: Uint16Array = new Uint16Array(first);
  /** Readings of the clock; the first is the beginning of the request. */
  #clock: BigInt64Array = new BigInt64Array(first * 2 + 1);
  /** The same as halves, the lower first: a reading is never made an object. */
  #halves: Uint32Array = new Uint32Array(this.#clock.buffer);
  /** The last reading. */
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
    return this.#milliseconds(0);
  }

  /** Now, in the same; where it follows at once on what was noted last, then. */
  now(follows: boolean): number {
    return follows && this.dropped === 0 ? this.#milliseconds(this.#last) : now();
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
    this.#begins[place] = follows ? this.#last : this.#read();
    return place;
  }

  leave(place: number, flag: number, follows: boolean): void {
    if (place < 0 || this.flags[place] !== spanFlag.open) return;
    this.flags[place] = flag;
    this.#ends[place] = follows ? this.#last : this.#read();
  }

  /**
   * Puts down, in turn, when each span begins, since the beginning of the one before, and how long it is; gives how many
   * have a flag. `whole`: nanoseconds that the request took, which is when an open span ends.
   */
  ticksInto(ticks: Float64Array, whole: number): number {
    const { count, flags } = this;
    let special = 0;
    let before = 0;
    for (let place = 0; place < count; place++) {
      const flag = flags[place] as number; // within the array
      const begin = this.#begins[place] as number; // within the array
      if (flag !== spanFlag.none) special++;
      ticks[place * 2] = nanosToTicks(this.#between(before, begin));
      ticks[place * 2 + 1] = nanosToTicks(
        flag === spanFlag.open
          ? Math.max(0, whole - this.#between(0, begin))
          : this.#between(begin, this.#ends[place] as number), // within the array
      );
      before = begin;
    }
    return special;
  }

  #between(from: number, to: number): number {
    const high = this.#half(to * 2 + 1) - this.#half(from * 2 + 1);
    const low = this.#half(to * 2) - this.#half(from * 2);
    return high === 0 ? low : high * 4_294_967_296 + low;
  }

  #milliseconds(reading: number): number {
    return toMilliseconds(this.#half(reading * 2), this.#half(reading * 2 + 1));
  }

  #half(at: number): number {
    return this.#halves[at] as number; // within the array
  }

  #read(): number {
    const reading = ++this.#last;
    this.#clock[reading] = readClock();
    return reading;
  }

  #grow(): boolean {
    const size = Math.min(mostSpans, this.ids.length * 2);
    if (size <= this.ids.length) return false;
    this.ids = copied(this.ids, new Uint16Array(size));
    this.flags = copied(this.flags, new Uint8Array(size));
    this.#begins = copied(this.#begins, new Uint16Array(size));
    this.#ends = copied(this.#ends, new Uint16Array(size));
    this.#clock = copied(this.#clock, new BigInt64Array(size * 2 + 1));
    this.#halves = new Uint32Array(this.#clock.buffer);
    return true;
  }
}

function copied<Numbers extends Uint8Array | Uint16Array | BigInt64Array>(
  from: Numbers,
  to: Numbers,
): Numbers {
  to.set(from as never); // of the same type
  return to;
}
