import type { CountedTime } from '../model/time-use.js';

/** Maximum number of time spans; beyond it, neighbours are merged. */
const maxEntries = 64;
const numbersOfEntry = 3;

/**
 * Time spans in order, on the `performance.now` clock: start, end, and how many of the milliseconds in
 * between count. Spans at most `gapMs` apart are merged. Beyond 64 spans, neighbours are merged in pairs.
 */
export class RunList {
  readonly #gapMs: number;
  #numbers: number[] = [];
  totalMs = 0;

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  add(from: number, to: number, ms: number = to - from): void {
    const numbers = this.#numbers;
    const last = numbers.length - numbersOfEntry;
    this.totalMs += ms;
    if (last >= 0 && from - (numbers[last + 1] ?? 0) <= this.#gapMs) {
      numbers[last + 1] = to;
      numbers[last + 2] = (numbers[last + 2] ?? 0) + ms;
      return;
    }
    numbers.push(from, to, ms);
    if (numbers.length > maxEntries * numbersOfEntry) this.#joinPairs();
  }

  /**
   * Returns the time within a request. `share` computes how much counts for a span that lies only partly
   * within it.
   */
  within(start: number, end: number, share: ShareOf = evenly): CountedTime[] {
    const found: CountedTime[] = [];
    const numbers = this.#numbers;
    for (let at = numbers.length - numbersOfEntry; at >= 0; at -= numbersOfEntry) {
      const [from = 0, to = 0, ms = 0] = numbers.slice(at, at + numbersOfEntry);
      if (to <= start) break;
      const [begin, finish] = [Math.max(from, start), Math.min(to, end)];
      if (finish <= begin) continue;
      const counted = share(ms, { whole: to - from, part: finish - begin });
      if (counted > 0)
        found.push({
          startMs: rounded(begin - start),
          durationMs: rounded(finish - begin),
          ms: rounded(counted),
        });
    }
    return found.reverse();
  }

  #joinPairs(): void {
    const numbers = this.#numbers;
    const joined: number[] = [];
    for (let at = 0; at < numbers.length; at += 2 * numbersOfEntry) {
      const [from = 0, to = 0, ms = 0, , nextTo = to, nextMs = 0] = numbers.slice(
        at,
        at + 2 * numbersOfEntry,
      );
      joined.push(from, nextTo, ms + nextMs);
    }
    this.#numbers = joined;
  }
}

type ShareOf = (ms: number, lengths: { readonly whole: number; readonly part: number }) => number;

const evenly: ShareOf = (ms, { whole, part }) => (ms * part) / whole;

/** Assumes that as much counted time as possible lies outside of the part. */
export const atLeast: ShareOf = (ms, { whole, part }) => Math.min(part, ms - (whole - part));

/** Rounds to microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
