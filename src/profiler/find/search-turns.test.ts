import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTurns } from './search-turns.js';

describe('turns', () => {
  it('are over after their time, and give way', async () => {
    assert.equal(startTurns(-1).isOver(), true);
    const turns = startTurns(60_000);
    assert.equal(turns.isOver(), false);
    let others = 0;
    const end = performance.now() + 10_000; // it ends with the first turn of another
    setImmediate(() => others++);
    while (others === 0 && performance.now() < end) await turns.pass();
    assert.equal(others, 1);
  });
});
