import { createHook } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import {
  createScopeKey,
  currentScope,
  observeScopes,
  runOutsideRequests,
  type Scope,
  type ScopeKey,
} from '#core/scope';
import type { CountedTime } from '../model/time-use.js';
import { atLeast, RunList } from './run-list.js';
import { readStoppedMs } from './thread-times.js';

/** A time span in which the event loop made no progress because it ran the code of one request. */
export interface LoopBlock {
  /** Id of the request; `outsideId` if the code ran for no request that is known. */
  readonly by: number;
  /** On the clock of `performance.now`. */
  readonly from: number;
  to: number;
  /** Milliseconds from `from` to `to` without those in which the process did not run, or the profiler worked. */
  blockedMs: number;
}

export const outsideId = -1;

/** Runs of one request that are less far apart are one. */
const joinedMs = 0.1;
/** What runs outside of requests for less time is not kept. */
const minOutsideMs = 1;
const beatMs = 20;
/** Milliseconds for which the code of one request must run without a beat to count as a block, and must have had a processor. */
const minBlockMs = 50;
const minBlockedMs = 20;
/** Milliseconds without a request after which the watch stops. */
const quietMs = 1000;
/** Milliseconds between two readings of the thread's times when requests begin. */
const staleMs = 2;
/** A pause of the loop that is longer may be one in which it waited. */
const minIdleMs = 1;
const maxBlocks = 200;
const minStopMs = 0.5;
/** Callbacks within one another. */
const maxDepth = 200;

/** When the code of one request ran, and when the profiler worked for it. */
export class RunTimes {
  readonly id: number;
  readonly runs: RunList = new RunList(joinedMs);
  /** The profiler's own work in these runs. */
  readonly own: RunList = new RunList(joinedMs);
  /** For how long the event loop had been busy before the request was read, and with whom; it may have waited as long. */
  queued: { readonly by: number; readonly isOne: boolean; readonly ms: number } | undefined;

  constructor(id: number) {
    this.id = id;
  }
}

/** What is known of a request's time. Milliseconds since its beginning. */
export interface LoopTimes {
  /** When its code ran. */
  readonly runs: readonly CountedTime[];
  /** When code ran of which it is not known for which request. */
  readonly outside: readonly CountedTime[];
  /** When the profiler worked for it. */
  readonly own: readonly CountedTime[];
  /** When the process was ready to run and had no processor. */
  readonly stops: readonly CountedTime[];
  readonly blocks: readonly Readonly<LoopBlock>[];
}

export const runTimes: ScopeKey<RunTimes> = createScopeKey<RunTimes>('run times');

/**
 * Knows for which request the event loop runs code. While requests are open, hooks note the scope of each callback and each
 * continuation of a promise; `runInScope` notes it in between. A timer beats meanwhile: code of one request that runs without
 * a beat for long has blocked the loop.
 */
class LoopWatch {
  #isOn = false;
  #open = 0;
  /** Whose code runs; undefined while the loop waits. */
  #current: RunTimes | undefined;
  /** Since when it runs, or since when the loop waits. */
  #since = 0;
  /** What the callbacks and scopes around the current one run for. */
  readonly #around: (RunTimes | undefined)[] = [];
  /** Since when the loop has been busy without a pause; and its idle time at that moment. */
  #busySince = 0;
  #idleMs = 0;
  #usedAt = 0;
  #isBeating = false;
  /** Code of one request that has run since the last beat without a pause: what is due by then could not run. */
  #chain: {
    by: RunTimes | undefined;
    from: number;
    to: number;
    ownMs: number;
    block: LoopBlock | undefined;
  } = {
    by: undefined,
    from: 0,
    to: 0,
    ownMs: 0,
    block: undefined,
  };
  #blocks: LoopBlock[] = [];
  readonly #outside = new RunTimes(outsideId);
  readonly #stops = new RunList(-1);
  /** The last reading of the thread's times. */
  #readAt = 0;
  #stoppedMs: number | undefined;
  /** The scope that was asked for last, and whose it is; forgotten with each beat. */
  #lastScope: Scope | undefined;
  #lastTimes: RunTimes | undefined;
  readonly #hook = createHook({
    before: () => this.#enter(this.#timesOf(currentScope())),
    after: () => this.#leave(),
  });

  /** Whether it is known for whom code runs: not where the runtime has no hooks. */
  readonly isKnown: boolean = process.versions['bun'] === undefined && process.versions['deno'] === undefined;

  /** Called when a request begins: from now on, its code runs. */
  begin(times: RunTimes, at: number): void {
    if (!this.#isOn) this.#start(at);
    this.#open++;
    this.#lastScope = undefined; // it has this request only now
    if (at - this.#readAt > staleMs) this.#read(at);
    this.#turnTo(times, at);
    if (at - this.#busySince >= minBlockMs) times.queued = this.#queueBefore(at);
  }

  /** Called when a request is over. */
  end(): void {
    this.#open--;
  }

  /** Notes work of the profiler, which it did for the request whose code runs now. */
  noteOwn(from: number, to: number): void {
    this.#runningTimes()?.own.add(from, to);
  }

  /** Returns what is known of the time of a request; undefined if nothing is. */
  timesOf(times: RunTimes, start: number, end: number): LoopTimes | undefined {
    if (!this.isKnown || !this.#isOn) return undefined;
    const at = performance.now();
    if (this.#current !== undefined) {
      this.#close(this.#current, at);
      this.#since = at;
    }
    if (end - start >= minBlockedMs) this.#read(at);
    return {
      runs: times.runs.within(start, end),
      outside: this.#outside.runs.within(start, end),
      own: times.own.within(start, end),
      stops: this.#stops.within(start, end, atLeast),
      blocks: this.#blocks.filter(({ to, blockedMs }) => to > start && blockedMs >= minBlockedMs),
    };
  }

  #start(at: number): void {
    if (!this.isKnown) return;
    this.#isOn = true;
    this.#around.length = 0;
    this.#current = undefined;
    this.#since = this.#busySince = at;
    this.#idleMs = performance.eventLoopUtilization().idle;
    this.#stoppedMs = undefined;
    this.#hook.enable();
    observeScopes({
      enter: (scope) => this.#enter(this.#timesOf(scope)),
      leave: () => this.#leave(),
      own: (from, to) => this.noteOwn(from, to),
    });
  }

  #stop(): void {
    this.#isOn = false;
    this.#hook.disable();
    observeScopes(undefined);
    this.#current = undefined;
  }

  #timesOf(scope: Scope | undefined): RunTimes {
    if (scope === undefined) return this.#outside;
    if (scope === this.#lastScope && this.#lastTimes !== undefined) return this.#lastTimes;
    this.#lastScope = scope;
    return (this.#lastTimes = scope.get(runTimes) ?? this.#outside);
  }

  /** The request whose code runs now; a pause of a debugger, for example, runs outside of it, but within it. */
  #runningTimes(): RunTimes | undefined {
    const isRequest = (one: RunTimes | undefined): boolean => one !== undefined && one !== this.#outside;
    return isRequest(this.#current) ? this.#current : this.#around.findLast(isRequest);
  }

  // Called by hooks, of which one that throws would end the process: these do nothing that can.
  #enter(times: RunTimes): void {
    // Where a callback threw, its end was not told.
    if (this.#around.length >= maxDepth) this.#around.length = 0;
    this.#around.push(this.#current);
    if (times !== this.#current) this.#turnTo(times, performance.now());
  }

  #leave(): void {
    const around = this.#around.pop();
    if (around !== this.#current) this.#turnTo(around, performance.now());
  }

  #turnTo(next: RunTimes | undefined, at: number): void {
    const current = this.#current;
    if (current !== undefined) this.#close(current, at);
    else if (at - this.#since > minIdleMs) this.#notePause(at);
    this.#current = next;
    this.#since = at;
    if (next === undefined || next === this.#outside) return;
    this.#usedAt = at;
    if (!this.#isBeating) this.#beginBeats(at);
  }

  /** Notes that the loop has been free, unless only the process did not run. */
  #notePause(at: number): void {
    const { idle } = performance.eventLoopUtilization();
    if (idle - this.#idleMs >= (at - this.#since) / 2) {
      this.#busySince = at;
      this.#endChain();
    }
    this.#idleMs = idle;
  }

  /** Notes that code has run until now. */
  #close(times: RunTimes, at: number): void {
    const from = this.#since;
    if (times !== this.#outside || at - from >= minOutsideMs) times.runs.add(from, at);
    const chain = this.#chain;
    // What runs for a moment in between does not free the loop.
    if (chain.by !== undefined && chain.by !== times && at - from <= joinedMs) return;
    if (chain.by !== times) {
      this.#endChain();
      chain.by = times;
      chain.from = from;
      chain.ownMs = times.own.totalMs;
    }
    chain.to = at;
    if (at - chain.from >= minBlockMs && at - (chain.block?.to ?? 0) >= minOutsideMs)
      this.#noteBlock(times, at);
  }

  #endChain(): void {
    const { block, to } = this.#chain;
    if (block !== undefined) {
      block.blockedMs += to - block.to;
      block.to = to;
    }
    this.#chain.by = this.#chain.block = undefined;
  }

  #noteBlock(times: RunTimes, at: number): void {
    const chain = this.#chain;
    const ownMs = times.own.totalMs - chain.ownMs;
    chain.ownMs = times.own.totalMs;
    const [from, stoppedMs] = [chain.block?.to ?? chain.from, this.#read(at)];
    const blockedMs = Math.max(0, at - from - stoppedMs - ownMs);
    if (chain.block !== undefined) {
      chain.block.to = at;
      chain.block.blockedMs += blockedMs;
      return;
    }
    chain.block = { by: times.id, from, to: at, blockedMs };
    this.#blocks.push(chain.block);
    if (this.#blocks.length > maxBlocks) this.#blocks = this.#blocks.slice(maxBlocks / 2);
  }

  /** For how long the loop has been blocked without a pause until now, and by which request for the longest. */
  #queueBefore(at: number): RunTimes['queued'] {
    const blocks = this.#blocks.filter(
      ({ to, blockedMs }) => to > this.#busySince && blockedMs >= minBlockedMs,
    );
    const [first] = blocks;
    if (first === undefined) return undefined;
    const longest = blocks.reduce((best, block) => (block.blockedMs > best.blockedMs ? block : best), first);
    const isOne = blocks.every(({ by }) => by === longest.by);
    return { by: longest.by, isOne, ms: at - Math.max(first.from, this.#busySince) };
  }

  /** Reads the thread's times, and returns the milliseconds since the last reading in which it did not run. */
  #read(at: number): number {
    const [since, before] = [this.#readAt, this.#stoppedMs];
    this.#readAt = at;
    this.#stoppedMs = readStoppedMs();
    if (before === undefined || this.#stoppedMs === undefined) return 0;
    const stopped = Math.min(this.#stoppedMs - before, at - since);
    if (stopped >= minStopMs) this.#stops.add(since, at, stopped);
    return Math.max(0, stopped);
  }

  #beginBeats(at: number): void {
    this.#isBeating = true;
    this.#read(at);
    this.#nextBeat();
  }

  #nextBeat(): void {
    // The timer must not keep what belongs to a request.
    runOutsideRequests(() => setTimeout(this.#beat, beatMs).unref());
  }

  readonly #beat = (): void => {
    const at = performance.now();
    this.#endChain();
    this.#lastScope = this.#lastTimes = undefined;
    this.#isBeating = at - this.#usedAt < quietMs;
    if (this.#isBeating) {
      this.#read(at);
      this.#nextBeat();
    } else if (this.#open <= 0) this.#stop();
  };
}

/** Module state because a process has one event loop. */
export const loopWatch: LoopWatch = new LoopWatch();
