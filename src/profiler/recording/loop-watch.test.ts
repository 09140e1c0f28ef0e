import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { asOwnTime, runInScope, runOutsideRequests, Scope } from '#core/scope';
import { loopWatch, type LoopTimes, outsideId, RunTimes, runTimes } from './loop-watch.js';

let ids = 0;
/** When the test's code ran, by its own clock. */
type Span = readonly [from: number, to: number];

interface Known {
  readonly id: number;
  readonly known: LoopTimes;
  readonly start: number;
  readonly spans: readonly Span[];
}

/** Keeps the CPU busy; returns when it did. */
function work(ms: number): Span {
  const from = performance.now();
  for (const begun = process.cpuUsage(); process.cpuUsage(begun).user < ms * 1000;);
  return [from, performance.now()];
}

/** Runs work on behalf of a request. */
async function request(run: (span: (ms: number) => void) => unknown): Promise<Known> {
  const scope = new Scope();
  const times = new RunTimes(ids++);
  const start = performance.now();
  const spans: Span[] = [];
  return runInScope(scope, async () => {
    loopWatch.begin(times, start);
    scope.set(runTimes, times);
    await run((ms) => void spans.push(work(ms)));
    const known = loopWatch.timesOf(times, start, performance.now());
    loopWatch.end();
    assert.ok(known !== undefined);
    return { id: times.id, known, start, spans };
  });
}

/** Waits until the loop has been idle, which takes a while on a busy machine. */
async function loopIsFree(): Promise<void> {
  const idleMs = (): number => performance.eventLoopUtilization().idle;
  for (const before = idleMs(); idleMs() - before < 30;) await sleep(10);
}

const sum = (times: LoopTimes['runs']): number => times.reduce((total, { ms }) => total + ms, 0);
const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((total, [from, to]) => total + to - from, 0);

/** Checks that a request's blocks match the periods in which it worked. */
function checkBlocks({ id, known }: Known, spans: readonly Span[], by: number = id): void {
  const blocks = known.blocks.filter((block) => block.by === by);
  assert.equal(blocks.length, spans.length);
  for (const [at, { from, to, blockedMs }] of blocks.entries()) {
    const [begun = 0, ended = 0] = spans[at] ?? [];
    assert.ok(from <= begun && to >= ended, `${from} to ${to} is not ${begun} to ${ended}`);
    assert.ok(blockedMs > 0 && blockedMs <= to - from, `${blockedMs} of ${to - from}`);
  }
}

describe('the event loop watch', () => {
  for (const count of [1, 2, 10])
    it(`knows how often and when a request blocked the loop that did so ${count}× with waits in between`, async () => {
      const seen = await request(async (span) => {
        for (let at = 0; at < count; at++) {
          await sleep(20); // the wait is measured
          span(60);
        }
      });
      checkBlocks(seen, seen.spans);
      const ran = sum(seen.known.runs);
      assert.ok(ran >= lengthOf(seen.spans) && ran <= performance.now() - seen.start, `${ran}`);
    });

  it('does not count waiting as running', async () => {
    let waitedMs = 0;
    const { known, start } = await request(async () => {
      const before = performance.now();
      await sleep(150); // the wait is measured
      waitedMs = performance.now() - before;
    });
    const wholeMs = performance.now() - start;
    assert.ok(
      sum(known.runs) <= wholeMs - waitedMs + 1,
      `${sum(known.runs)} of ${wholeMs}, waited ${waitedMs}`,
    );
    assert.deepEqual(known.blocks, []);
  });

  it('blames the request that blocks, not the one that waits, and both records show it', async () => {
    let release: (value?: unknown) => void = () => undefined;
    const held = new Promise((resolve) => (release = resolve));
    const waiting = request(() => held);
    const blocking = await request(async (span) => {
      await turn();
      span(80);
      await turn();
      span(80);
    });
    release();
    const seen = await waiting;
    checkBlocks(blocking, blocking.spans);
    checkBlocks(seen, blocking.spans, blocking.id);
    assert.ok(!seen.known.blocks.some(({ by }) => by === seen.id));
    assert.ok(sum(seen.known.runs) < 40, `${sum(seen.known.runs)}`);
  });

  it('blames no request for code that runs outside of requests', async () => {
    let outside: Span | undefined;
    const busy = new Promise((resolve) => setTimeout(() => resolve((outside = work(80))), 10)); // while the request waits
    const seen = await request(() => busy.then(() => sleep(5)));
    assert.ok(outside !== undefined);
    checkBlocks(seen, [outside], outsideId);
    assert.ok(!seen.known.blocks.some(({ by }) => by === seen.id));
    assert.ok(sum(seen.known.outside) >= outside[1] - outside[0] - 1);
  });

  it('counts a loop with short continuations as one block, since no timer can run in it', async () => {
    const seen = await request(async (span) => {
      await turn();
      for (let at = 0; at < 40; at++) {
        span(3);
        await undefined;
      }
    });
    checkBlocks(seen, [[seen.spans[0]?.[0] ?? 0, seen.spans.at(-1)?.[1] ?? 0]]);
  });

  it('counts profiler work neither as a blocking run nor as idle time', async () => {
    const seen = await request(async (span) => {
      await turn();

      // the following work is lookback's
      asOwnTime(() => work(80));
      span(1);
    });
    assert.ok(sum(seen.known.own) >= 80, `${sum(seen.known.own)}`);
    const ownMs = (from: number, to: number): number =>
      sum(seen.known.own.filter(({ startMs, durationMs }) => startMs < to && startMs + durationMs > from)); // a busy machine may block elsewhere
    for (const { from, to, blockedMs } of seen.known.blocks)
      assert.ok(blockedMs <= to - from - ownMs(from, to) + 1, `${blockedMs} of ${to - from}`);
  });

  /** Lets a request block the event loop for 80 ms; returns it, and the facts about one that begins in the next turn. */
  async function beginAfterBlock(before: () => void): Promise<{ blocking: Known; times: RunTimes }> {
    const times = new RunTimes(ids++);
    const begin = (resolve: () => void): void => {
      before();
      loopWatch.begin(times, performance.now());
      loopWatch.end();
      resolve();
    };
    await loopIsFree();
    const blocking = await request(async (span) => {
      await turn();
      const late = new Promise<void>(
        (resolve) => void setTimeout(() => runOutsideRequests(() => begin(resolve)), 1),
      );
      span(80);
      await late;
    });
    return { blocking, times };
  }

  it('names the request that a later one waited for when the loop is free again', async () => {
    const { blocking, times } = await beginAfterBlock(() => undefined);
    const [begun = 0, ended = 0] = blocking.spans[0] ?? [];
    assert.equal(times.queued?.by, blocking.id);
    assert.ok(times.queued.ms >= ended - begun, `${times.queued.ms}`);
  });

  it('reports no wait if the event loop was idle after the block, however briefly', async (t) => {
    const real = performance.eventLoopUtilization.bind(performance);
    let idleMs = 0;
    t.mock.method(performance, 'eventLoopUtilization', () => ({ ...real(), idle: real().idle + idleMs }));
    const { times } = await beginAfterBlock(() => (idleMs = 0.2));
    assert.equal(times.queued, undefined);
  });
});
