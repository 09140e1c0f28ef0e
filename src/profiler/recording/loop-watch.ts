import { openSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { safely } from '#core/coded-error';

/** A time span in which the event loop made no progress while a request was running. */
export interface LoopBlock {
  readonly by: number;
  /** On the clock of `performance.now`. */
  readonly from: number;
  to: number;
  /** Milliseconds for which the request blocked the loop; less than from `from` to `to` if the process did not run. */
  blockedMs: number;
  /** Milliseconds since `since` for which the process was ready to run and had no processor. */
  stoppedMs: number;
  /** Since when `stoppedMs` was counted: at most a beat before `from`. */
  readonly since: number;
}

const beatMs = 20;
/** Milliseconds by which a beat must be late to count as a block. */
const minBlockMs = 50;
/** Milliseconds without a request after which the beats stop. */
const quietMs = 1000;
const maxBlocks = 100;

/**
 * Detects which request blocks the event loop. A timer beats while there are requests, and every reading of a request's
 * clock is a touch. A touch long after a beat was due means that the loop has been blocked, by the request that touches,
 * or that the process did not run: the time for which it waited for a processor is no block.
 * Work outside of requests is not blamed on one: when it ends, the overdue beat runs first, because due timers run before
 * pending I/O. Requests are identified by their ids, so none is kept in memory.
 */
class LoopWatch {
  #beatAt = 0;
  #isBeating = false;
  /** Readings of the thread's times at the last beat. */
  #times: ThreadTimes = { ranMs: 0, stoppedMs: 0 };
  /** Id of the last request that touched since the beat, and since when no other request has touched. */
  #by: number | undefined;
  #since = 0;
  #touchedAt = 0;
  #blocks: LoopBlock[] = [];

  /** Called when a request begins: the request that touched last has been running until now. */
  begin(by: number, at: number): void {
    const before = this.#by;
    if (before !== undefined) this.#detectBlock(before, at);
    this.#setLast(by, at);
  }

  touch(by: number, at: number): void {
    this.#detectBlock(by, at);
    this.#setLast(by, at);
  }

  since(moment: number): readonly Readonly<LoopBlock>[] {
    const last = this.#blocks.at(-1);
    return last === undefined || last.to <= moment ? noBlocks : this.#blocks.filter(({ to }) => to > moment);
  }

  #setLast(by: number, at: number): void {
    if (this.#by !== by) this.#since = at;
    this.#by = by;
    this.#touchedAt = at;
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.#beatAt = at;
    this.#times = readThreadTimes();
    setTimeout(this.#beat, beatMs).unref();
  }

  readonly #beat = (): void => {
    this.#beatAt = performance.now();
    this.#by = undefined;
    this.#isBeating = this.#beatAt - this.#touchedAt < quietMs;
    if (!this.#isBeating) return;
    this.#times = readThreadTimes();
    setTimeout(this.#beat, beatMs).unref();
  };

  #detectBlock(by: number, at: number): void {
    if (!this.#isBeating || at - this.#beatAt < beatMs + minBlockMs) return;
    const due = this.#beatAt + beatMs;
    const from = this.#by === by ? this.#since : Math.max(due, this.#by === undefined ? 0 : this.#touchedAt);
    if (at - from < minBlockMs) return;
    const { ranMs, stoppedMs } = readThreadTimes();
    const stopped = Math.max(0, stoppedMs - this.#times.stoppedMs);
    // Where it is unknown how long the process had no processor, it has blocked for as long as it used one.
    const most = Number.isNaN(stoppedMs) ? ranMs - this.#times.ranMs : at - from - stopped;
    const measured = {
      to: at,
      blockedMs: Math.max(0, Math.min(at - from, most)),
      stoppedMs: Number.isNaN(stopped) ? 0 : stopped,
    };
    const last = this.#blocks.at(-1);
    if (last?.by === by && last.to >= from) Object.assign(last, measured);
    else this.#blocks.push({ by, from, since: this.#beatAt, ...measured });
    if (this.#blocks.length > maxBlocks) this.#blocks = this.#blocks.slice(maxBlocks / 2);
  }
}

const noBlocks: readonly never[] = [];

interface ThreadTimes {
  /** Processor time of the process. */
  readonly ranMs: number;
  /** Time for which this thread was ready to run and had no processor; NaN where that is unknown. */
  readonly stoppedMs: number;
}

let schedule: number | undefined; // file descriptor of this thread's figures; −1 where there are none
const text = Buffer.alloc(80);

/** Reads the thread's times: on Linux from `schedstat`, which takes microseconds. */
function readThreadTimes(): ThreadTimes {
  schedule ??= safely(() => openSync('/proc/thread-self/schedstat', 'r'), -1);
  if (schedule !== -1)
    try {
      const [, waited] = text.toString('latin1', 0, readSync(schedule, text, 0, text.length, 0)).split(' ');
      return { ranMs: 0, stoppedMs: Number(waited) / 1e6 };
    } catch {
      schedule = -1;
    }
  const { user, system } = process.cpuUsage();
  return { ranMs: (user + system) / 1000, stoppedMs: Number.NaN };
}

/** Module state because a process has one event loop. */
export const loopWatch: LoopWatch = new LoopWatch();
