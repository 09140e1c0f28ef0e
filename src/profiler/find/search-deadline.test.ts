import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startDeadline } from './search-deadline.js';

describe('a deadline of a search', () => {
  it('is over after its time, and yields to other work', async () => {
    assert.equal(startDeadline(-1).isOver(), true);
    const deadline = startDeadline(60_000);
    assert.equal(deadline.isOver(), false);
    let others = 0;
    const end = performance.now() + 10_000; // it ends with the first tick of another
    setImmediate(() => others++);
    while (others === 0 && performance.now() < end) await deadline.yieldIfDue();
    assert.equal(others, 1);
  });
});
