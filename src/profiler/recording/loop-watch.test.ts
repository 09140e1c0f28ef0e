import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type * as Module from './loop-watch.js';

let modules = 0;
let clock = 0;

/** A watch of its own, on a clock that the test sets. */
async function freshWatch(): Promise<typeof Module.loopWatch> {
  const url = `./loop-watch.js?${modules++}`;
  return ((await import(url)) as typeof Module).loopWatch; // the module, once more
}

/** Lets the next beat come after so many milliseconds. */
function beatAfter(ms: number): void {
  clock += ms;
  mock.timers.tick(ms);
}

/** Sets the clock and the timers for the tests of a suite. */
function withClock(): void {
  beforeEach(() => {
    clock = 1000;
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => clock);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });
}

describe('the watch of the event loop', () => {
  withClock();
  it('blames a block on the request that touches long after a beat was due, from when it alone had touched', async () => {
    const watch = await freshWatch();
    watch.begin(1, 1000);
    watch.touch(1, 1069);
    assert.deepEqual(watch.since(0), []); // 20 ms until the beat, less than 50 ms late
    watch.touch(1, 1100);
    const [block, ...others] = watch.since(0);
    assert.ok(block !== undefined && others.length === 0);
    assert.deepEqual([block.by, block.from, block.to, block.since], [1, 1000, 1100, 1000]);
    assert.ok(block.blockedMs > 0 && block.blockedMs <= 100);
    assert.ok(block.stoppedMs >= 0);
  });

  it('lets a block grow with what its request touches next, and has another for another request', async () => {
    const watch = await freshWatch();
    watch.begin(1, 1000);
    watch.touch(1, 1100);
    watch.touch(1, 1180);
    assert.deepEqual(
      watch.since(0).map(({ by, from, to }) => [by, from, to]),
      [[1, 1000, 1180]],
    );
    watch.begin(2, 1260);
    watch.touch(2, 1400);
    assert.deepEqual(
      watch.since(0).map(({ by, from, to }) => [by, from, to]),
      [
        [1, 1000, 1260],
        [2, 1260, 1400],
      ],
    );
    assert.deepEqual(
      watch.since(1260).map(({ by }) => by),
      [2],
    );
    assert.deepEqual(watch.since(1400), []);
    assert.equal(watch.since(1399.9).length, 1);
  });

  it('lets a request begin a block only where another one, or the beat, had the loop', async () => {
    const watch = await freshWatch();
    watch.begin(1, 1000);
    beatAfter(20);
    // No one has touched since the beat: a block can have begun when the next one was due.
    watch.touch(2, 1200);
    assert.deepEqual(
      watch.since(0).map(({ by, from, to }) => [by, from, to]),
      [[2, 1040, 1200]],
    );
    const other = await freshWatch();
    clock = 1000;
    other.begin(1, 1000);
    other.touch(1, 1060);
    other.touch(2, 1120); // another one had touched in between
    assert.deepEqual(
      other.since(0).map(({ by, from, to }) => [by, from, to]),
      [[2, 1060, 1120]],
    );
    other.touch(3, 1169);
    assert.equal(other.since(1120).length, 0); // less than 50 ms
  });

  it('sees nothing while beats come in time, nor before the first request, nor a second after the last', async () => {
    const watch = await freshWatch();
    watch.begin(1, 1000);
    for (let beats = 0; beats < 49; beats++) {
      beatAfter(20);
      if (beats % 10 === 0) watch.touch(1, clock);
    }
    assert.deepEqual(watch.since(0), []);
    for (let beats = 0; beats < 60; beats++) beatAfter(20); // over a second without a touch
    clock += 500;
    watch.begin(2, clock);
    watch.touch(2, clock + 40);
    assert.deepEqual(watch.since(0), []);
    watch.touch(2, clock + 80);
    assert.equal(watch.since(0).length, 1);
  });

  it('keeps a hundred blocks, then the later half of them', async () => {
    const watch = await freshWatch();
    for (let at = 0; at < 100; at++) watch.begin(at, 1000 + at * 100);
    watch.touch(100, 11_000);
    assert.equal(watch.since(0).length, 100);
    watch.touch(101, 11_100);
    const kept = watch.since(0);
    assert.equal(kept.length, 51);
    assert.equal(kept.at(-1)?.by, 101);
  });
});
