import { performance } from 'node:perf_hooks';

/** A stretch in which one request let no other go on. */
export interface LoopBlock {
  /** Token of the request. */
  readonly by: string;
  /** Of `performance.now`. */
  readonly from: number;
  to: number;
  /** Milliseconds that the loop had been idle by its end. */
  idle: number;
}

const beatMs = 20;
/** Milliseconds behind a beat that is due, from which on others notice. */
const minBlockMs = 50;
/** Without a request for so long the beats stop. */
const restMs = 1000;
/** What begins later behind a stretch is not said to have waited for it. */
const behindMs = 100;
const maxBlocks = 100;

/**
 * Notices who holds up the event loop. A timer beats while there are requests, and each reading of a request's clock is a touch: a touch
 * behind a beat that is long due means that the loop has been held up, by whoever touches it at the end. Work of no request lets the beat
 * go first, since timers that are due come before what was read meanwhile. Requests are known by their tokens: nothing of one is kept.
 */
class LoopWatch {
  #beatAt = 0;
  #isBeating = false;
  /** Who touched since the beat, and since when without another between. */
  #by: string | undefined;
  #since = 0;
  #touchedAt = 0;
  #blocks: LoopBlock[] = [];

  /** A request begins: gives the stretch that it waited for, where it was there before that ended. */
  begin(by: string, at: number): LoopBlock | undefined {
    const before = this.#by;
    // Who touched before has gone on until now.
    if (before !== undefined) this.#look(before, at);
    this.#take(by, at);
    const last = this.#blocks.at(-1);
    if (last === undefined || at - last.to > behindMs) return undefined;
    // Where the loop has slept since, the request came later.
    return performance.eventLoopUtilization().idle - last.idle < 0.5 ? last : undefined;
  }

  touch(by: string, at: number): void {
    this.#look(by, at);
    this.#take(by, at);
  }

  /** The stretches that ended since a moment. */
  since(moment: number): readonly Readonly<LoopBlock>[] {
    const last = this.#blocks.at(-1);
    return last === undefined || last.to <= moment ? noBlocks : this.#blocks.filter(({ to }) => to > moment);
  }

  #take(by: string, at: number): void {
    if (this.#by !== by) this.#since = at;
    this.#by = by;
    this.#touchedAt = at;
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.#beatAt = at;
    setTimeout(this.#beat, beatMs).unref();
  }

  readonly #beat = (): void => {
    this.#beatAt = performance.now();
    this.#by = undefined;
    this.#isBeating = this.#beatAt - this.#touchedAt < restMs;
    if (this.#isBeating) setTimeout(this.#beat, beatMs).unref();
  };

  #look(by: string, at: number): void {
    if (!this.#isBeating || at - this.#beatAt < beatMs + minBlockMs) return;
    const due = this.#beatAt + beatMs;
    const from = this.#by === by ? this.#since : Math.max(due, this.#by === undefined ? 0 : this.#touchedAt);
    if (at - from < minBlockMs) return;
    const { idle } = performance.eventLoopUtilization();
    const last = this.#blocks.at(-1);
    if (last?.by === by && last.to >= from) Object.assign(last, { to: at, idle });
    else this.#blocks.push({ by, from, to: at, idle });
    if (this.#blocks.length > maxBlocks) this.#blocks = this.#blocks.slice(maxBlocks / 2);
  }
}

const noBlocks: readonly never[] = [];

/** Of this process, which has one loop. */
export const loopWatch: LoopWatch = new LoopWatch();
