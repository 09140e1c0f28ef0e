import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OnePerTick } from './one-per-tick.js';

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('one callback per tick', () => {
  it('a single callback runs at once', async () => {
    const queue = new OnePerTick();
    for (let count = 0; count < 3; count++) {
      let isDone = false;
      queue.run(() => {
        isDone = true;
      });
      assert.equal(isDone, true);
      await nextTick();
      await nextTick();
    }
  });

  it('callbacks that are due together run in order, one per event-loop tick', async () => {
    const queue = new OnePerTick();
    const done: number[] = [];
    for (let count = 0; count < 50; count++) queue.run(() => done.push(count));
    const seen = [done.length];
    while (done.length < 50) {
      await nextTick();
      seen.push(done.length);
    }
    assert.equal(seen[0], 1);
    for (const [index, count] of seen.entries()) assert.ok(count - (seen[index - 1] ?? 0) <= 1);
    assert.deepEqual(
      done,
      Array.from({ length: 50 }, (_, index) => index),
    );
  });
});
