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

/** A period in which one request's code blocked the event loop. */
export interface LoopBlock {
  /** Request id; `outsideId` if the code ran for no known request. */
  readonly by: number;
  /** On the `performance.now` clock. */
  readonly from: number;
  to: number;
  /**
   * Milliseconds from `from` to `to`, excluding time in which the process was not scheduled or the profiler
   * worked.
   */
  blockedMs: number;
}

export const outsideId = -1;

/** One request's runs are merged if they are at most this many milliseconds apart. */
const joinedMs = 0.1;
/** Runs outside of requests shorter than this, in milliseconds, are not kept. */
const minOutsideMs = 1;
const beatMs = 20;
/**
 * One request's code counts as a block if it runs this many milliseconds without a beat. A block is only reported if at
 * least `minBlockedMs` were on the CPU.
 */
const minBlockMs = 50;
const minBlockedMs = 20;
/** Milliseconds without a request before the watch stops. */
const quietMs = 1000;
/** Minimum interval between readings of the thread's times when requests begin, in milliseconds. */
const staleMs = 2;
/** The loop may have been idle during a pause longer than this, in milliseconds. */
const minIdleMs = 1;
/**
 * If the loop was idle for longer than this after a block, in milliseconds, it had read everything that had arrived by
 * then. Polling takes some of this even when something is ready.
 */
const maxPollMs = 0.05;
const maxBlocks = 200;
const minStopMs = 0.5;
/** Maximum number of nested callbacks. */
const maxDepth = 200;

/** When one request's code ran, and when the profiler worked for it. */
export class RunTimes {
  readonly id: number;
  readonly runs: RunList = new RunList(joinedMs);
  /** The profiler's own work within these runs. */
  readonly own: RunList = new RunList(joinedMs);
  /**
   * How long the event loop had been busy before the request was read, and the request responsible for most
   * of it. The new request may have waited that long.
   */
  queued: { readonly by: number; readonly isOne: boolean; readonly ms: number } | undefined;

  constructor(id: number) {
    this.id = id;
  }
}

/** A request's time accounting, in milliseconds since it began. */
export interface LoopTimes {
  /** When its code ran. */
  readonly runs: readonly CountedTime[];
  /** When code ran that belongs to no known request. */
  readonly outside: readonly CountedTime[];
  /** When the profiler worked for it. */
  readonly own: readonly CountedTime[];
  /** When the process was ready to run but not scheduled. */
  readonly stops: readonly CountedTime[];
  readonly blocks: readonly Readonly<LoopBlock>[];
}

export const runTimes: ScopeKey<RunTimes> = createScopeKey<RunTimes>('run times');

/**
 * Tracks which request the event loop runs code for. While requests are open, async hooks note the scope of each
 * callback and promise continuation, and `runInScope` notes it in between. A timer beats meanwhile: if one request's
 * code runs for long without a beat, it has blocked the loop.
 */
class LoopWatch {
  #isOn = false;
  #open = 0;
  /** The request whose code is running; undefined while the loop waits. */
  #current: RunTimes | undefined;
  /** When `#current` last changed. */
  #since = 0;
  /** The enclosing callbacks' and scopes' requests. */
  readonly #around: (RunTimes | undefined)[] = [];
  /** When the loop last became busy without a pause, and its idle time at that moment. */
  #busySince = 0;
  #idleMs = 0;
  #usedAt = 0;
  #isBeating = false;
  /** One request's code that has run without a pause since the last beat, delaying everything due in that time. */
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
  /** The loop's total idle time when the last block ended. */
  #idleAfterBlockMs = 0;
  readonly #outside = new RunTimes(outsideId);
  readonly #stops = new RunList(-1);
  /** Latest reading of the thread's times. */
  #readAt = 0;
  #stoppedMs: number | undefined;
  /** Milliseconds in which code ran or was not scheduled: in total, and up to the last reading. */
  #ranMs = 0;
  #ranBefore = 0;
  /** Caches the last scope lookup; cleared on every beat. */
  #lastScope: Scope | undefined;
  #lastTimes: RunTimes | undefined;
  readonly #hook = createHook({
    before: () => this.#enter(this.#timesOf(currentScope())),
    after: () => this.#leave(),
  });

  /** Whether runs can be attributed to requests. False in runtimes without async hooks. */
  readonly isKnown: boolean = process.versions['bun'] === undefined && process.versions['deno'] === undefined;

  /** Called when a request begins; its code runs from now on. */
  begin(times: RunTimes, at: number): void {
    if (!this.#isOn) this.#start(at);
    this.#open++;
    this.#lastScope = undefined; // the scope belongs to this request only now
    if (at - this.#readAt > staleMs) this.#read(at);
    this.#turnTo(times, at);
    if (at - this.#busySince >= minBlockMs) times.queued = this.#queueBefore(at);
  }

  /** Called when a request ends. */
  end(): void {
    this.#open--;
  }

  /** Records profiler work done for the running request. */
  noteOwn(from: number, to: number): void {
    this.#runningTimes()?.own.add(from, to);
  }

  /** Returns the milliseconds of a request in which its code did not run; undefined if unknown. */
  pausedMsOf(times: RunTimes, start: number, end: number): number | undefined {
    if (!this.isKnown || !this.#isOn) return undefined;
    this.#closeCurrent(end);
    return end - start - times.runs.totalMs;
  }

  /** Returns a request's time accounting; undefined if unavailable. */
  timesOf(times: RunTimes, start: number, end: number): LoopTimes | undefined {
    if (!this.isKnown || !this.#isOn) return undefined;
    const at = performance.now();
    this.#closeCurrent(at);
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

  /**
   * Returns the request whose code is running. Interruptions such as a debugger pause run outside of requests
   * but nested in one.
   */
  #runningTimes(): RunTimes | undefined {
    const isRequest = (one: RunTimes | undefined): boolean => one !== undefined && one !== this.#outside;
    return isRequest(this.#current) ? this.#current : this.#around.findLast(isRequest);
  }

  // Called by async hooks, where an exception would end the process, so nothing here may throw.
  #enter(times: RunTimes): void {
    // If a callback throws, its `after` hook is missing.
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

  /** Records that the loop has been idle, unless the process was merely not scheduled. */
  #notePause(at: number): void {
    const { idle } = performance.eventLoopUtilization();
    if (idle - this.#idleMs >= (at - this.#since) / 2) {
      this.#busySince = at;
      this.#endChain();
    }
    this.#idleMs = idle;
  }

  /** Records the current run up to now. */
  #closeCurrent(at: number): void {
    if (this.#current === undefined) return;
    this.#close(this.#current, at);
    this.#since = at;
  }

  /** Records a run that ends now. */
  #close(times: RunTimes, at: number): void {
    const from = this.#since;
    this.#ranMs += at - from;
    if (times !== this.#outside || at - from >= minOutsideMs) times.runs.add(from, at);
    const chain = this.#chain;
    // A brief run in between does not free the loop.
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
    this.#idleAfterBlockMs = performance.eventLoopUtilization().idle;
    if (chain.block !== undefined) {
      chain.block.to = at;
      chain.block.blockedMs += blockedMs;
      return;
    }
    chain.block = { by: times.id, from, to: at, blockedMs };
    this.#blocks.push(chain.block);
    if (this.#blocks.length > maxBlocks) this.#blocks = this.#blocks.slice(maxBlocks / 2);
  }

  /**
   * Returns how long the loop has been blocked without a pause, and the request that blocked it longest; undefined if
   * the loop was idle after the last block, because nothing that arrives later has waited.
   */
  #queueBefore(at: number): RunTimes['queued'] {
    const blocks = this.#blocks.filter(
      ({ to, blockedMs }) => to > this.#busySince && blockedMs >= minBlockedMs,
    );
    const [first] = blocks;
    if (first === undefined) return undefined;
    if (performance.eventLoopUtilization().idle - this.#idleAfterBlockMs > maxPollMs) return undefined;
    const longest = blocks.reduce((best, block) => (block.blockedMs > best.blockedMs ? block : best), first);
    const isOne = blocks.every(({ by }) => by === longest.by);
    return { by: longest.by, isOne, ms: at - Math.max(first.from, this.#busySince) };
  }

  /**
   * Reads the thread's times. Returns how long code that ran since the last reading was not scheduled, in milliseconds.
   * A thread that wakes up also waits for a processor, even for a beat of this watch while all requests wait for
   * something else. Such delays are excluded, because they hold no request up by as much.
   */
  #read(at: number): number {
    const [since, before] = [this.#readAt, this.#stoppedMs];
    const ran = this.#ranMs + (this.#current === undefined ? 0 : at - this.#since);
    const ranSince = ran - this.#ranBefore;
    this.#readAt = at;
    this.#ranBefore = ran;
    this.#stoppedMs = readStoppedMs();
    if (before === undefined || this.#stoppedMs === undefined) return 0;
    const stopped = Math.min(this.#stoppedMs - before, at - since, ranSince);
    if (stopped >= minStopMs) this.#stops.add(since, at, stopped);
    return Math.max(0, stopped);
  }

  #beginBeats(at: number): void {
    this.#isBeating = true;
    this.#read(at);
    this.#nextBeat();
  }

  #nextBeat(): void {
    // The timer must not retain a request's scope.
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
