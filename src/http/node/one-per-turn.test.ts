import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OnePerTurn } from './one-per-turn.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('what comes alone is done at once', async () => {
    const turns = new OnePerTurn();
    for (let count = 0; count < 3; count++) {
      let isDone = false;
      turns.take(() => {
        isDone = true;
      });
      assert.equal(isDone, true);
      await nextTurn();
      await nextTurn();
    }
  });

  it('what comes together is done in its order, one thing a turn of the event loop', async () => {
    const turns = new OnePerTurn();
    const done: number[] = [];
    for (let count = 0; count < 50; count++) turns.take(() => done.push(count));
    const seen = [done.length];
    while (done.length < 50) {
      await nextTurn();
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
