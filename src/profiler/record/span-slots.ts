import { performance } from 'node:perf_hooks';

/** Outcome of a span, as it is kept. */
export const spanFlag = { none: 0, stopped: 1, failed: 2, open: 4 } as const;

const first = 48;
const most = 384;
const pool: SpanSlots[] = [];

/**
 * Stretches of time of one request, noted without making objects: numbers in arrays that are used again for another
 * request once the record is written.
 */
export class SpanSlots {
  ids: Uint16Array = new Uint16Array(first);
  flags: Uint8Array = new Uint8Array(first);
  starts: Float64Array = new Float64Array(first);
  ends: Float64Array = new Float64Array(first);
  count = 0;
  /** Spans that were not kept. */
  dropped = 0;
  /** When a span last began or ended. */
  #last = 0;

  /** Ready for use, from the pool where there is one. */
  static take(): SpanSlots {
    return pool.pop() ?? new SpanSlots();
  }

  giveBack(): void {
    if (this.ids.length > first || pool.length >= 1000) return;
    this.count = 0;
    this.dropped = 0;
    this.#last = 0;
    pool.push(this);
  }

  /**
   * Gives the place, or −1 where there is no room. Where it follows at once on the span noted last, that one's time is
   * taken: the clock is the dearest part of this.
   */
  enter(id: number, follows: boolean): number {
    if (this.count >= this.ids.length && !this.#grow()) {
      this.dropped++;
      return -1;
    }
    const place = this.count++;
    const start = follows && this.#last !== 0 ? this.#last : performance.now();
    this.ids[place] = id;
    this.flags[place] = spanFlag.open;
    this.starts[place] = start;
    this.#last = start;
    return place;
  }

  leave(place: number, flag: number, follows: boolean): void {
    if (place < 0 || this.flags[place] !== spanFlag.open) return;
    const end = follows && this.#last !== 0 ? this.#last : performance.now();
    this.#last = end;
    this.ends[place] = end;
    this.flags[place] = flag;
  }

  #grow(): boolean {
    const size = Math.min(most, this.ids.length * 2);
    if (size <= this.ids.length) return false;
    const { ids, flags, starts, ends } = this;
    this.ids = new Uint16Array(size);
    this.flags = new Uint8Array(size);
    this.starts = new Float64Array(size);
    this.ends = new Float64Array(size);
    this.ids.set(ids);
    this.flags.set(flags);
    this.starts.set(starts);
    this.ends.set(ends);
    return true;
  }
}
