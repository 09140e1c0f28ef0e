import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atLeast, RunList } from './run-list.js';

describe('time spans', () => {
  it('that lie close together are merged, and are cut to the request', () => {
    const list = new RunList(0.5);
    list.add(100, 110);
    list.add(110.5, 120);
    list.add(130, 150);
    assert.deepEqual(list.within(105, 140), [
      { startMs: 0, durationMs: 15, ms: 14.625 },
      { startMs: 25, durationMs: 10, ms: 10 },
    ]);
    assert.deepEqual([list.totalMs, list.within(150, 200), list.within(0, 100)], [39.5, [], []]);
  });

  it('that are only partly within a request count as far as they certainly belong to it', () => {
    const list = new RunList(-1);
    list.add(0, 100, 60);
    assert.deepEqual(list.within(50, 200, atLeast), [{ startMs: 0, durationMs: 50, ms: 10 }]);
    assert.deepEqual(list.within(70, 200, atLeast), []);
    assert.deepEqual(list.within(0, 100, atLeast), [{ startMs: 0, durationMs: 100, ms: 60 }]);
  });

  it('stay few, and lose no time, no matter how many there are', () => {
    const list = new RunList(0);
    for (let at = 0; at < 1000; at++) list.add(at * 10, at * 10 + 1);
    const found = list.within(0, 10_000);
    assert.ok(found.length <= 64, String(found.length));
    assert.equal(Math.round(found.reduce((sum, { ms }) => sum + ms, 0)), 1000);
    assert.deepEqual(found.at(-1), { startMs: 9990, durationMs: 1, ms: 1 });
  });
});
