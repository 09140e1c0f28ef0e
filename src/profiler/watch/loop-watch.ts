import { performance } from 'node:perf_hooks';

/** A time span in which one request blocked the event loop. */
export interface LoopBlock {
  /** Token of the request. */
  readonly by: string;
  /** On the clock of `performance.now`. */
  readonly from: number;
  to: number;
  /** Total idle milliseconds of the event loop when the block ended. */
  idle: number;
}

const beatMs = 20;
/** Milliseconds by which a beat must be late to count as a block. */
const minBlockMs = 50;
/** Milliseconds without a request after which the beats stop. */
const quietMs = 1000;
/** A request that begins more than this many milliseconds after a block is assumed not to have waited for it. */
const maxWaitGapMs = 100;
const maxBlocks = 100;

/**
 * Detects which request blocks the event loop. A timer beats while there are requests, and every reading of a request's
 * clock is a touch. A touch long after a beat was due means that the loop has been blocked, by the request that touches.
 * Work outside of requests is not blamed on one: when it ends, the overdue beat runs first, because due timers run before
 * pending I/O. Requests are identified by their tokens, so none is kept in memory.
 */
class LoopWatch {
  #beatAt = 0;
  #isBeating = false;
  /** Token of the last request that touched since the beat, and since when no other request has touched. */
  #by: string | undefined;
  #since = 0;
  #touchedAt = 0;
  #blocks: LoopBlock[] = [];

  /** Called when a request begins. Returns the block that it waited for, if it arrived before that block ended. */
  begin(by: string, at: number): LoopBlock | undefined {
    const before = this.#by;
    // The request that touched last has been running until now.
    if (before !== undefined) this.#detectBlock(before, at);
    this.#setLast(by, at);
    const last = this.#blocks.at(-1);
    if (last === undefined || at - last.to > maxWaitGapMs) return undefined;
    // If the loop has been idle since the block, the request arrived after it.
    return performance.eventLoopUtilization().idle - last.idle < 0.5 ? last : undefined;
  }

  touch(by: string, at: number): void {
    this.#detectBlock(by, at);
    this.#setLast(by, at);
  }

  /** Returns the blocks that ended after a moment. */
  since(moment: number): readonly Readonly<LoopBlock>[] {
    const last = this.#blocks.at(-1);
    return last === undefined || last.to <= moment ? noBlocks : this.#blocks.filter(({ to }) => to > moment);
  }

  #setLast(by: string, at: number): void {
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
    this.#isBeating = this.#beatAt - this.#touchedAt < quietMs;
    if (this.#isBeating) setTimeout(this.#beat, beatMs).unref();
  };

  #detectBlock(by: string, at: number): void {
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

/** Module state because a process has one event loop. */
export const loopWatch: LoopWatch = new LoopWatch();
