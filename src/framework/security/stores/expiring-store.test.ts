import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMemoryExpiringStore, longestSeconds, wholeLifetime } from './expiring-store.js';

describe('a lifetime for a database', () => {
  it('is rounded up to whole milliseconds, because none at all would end at once, and at most a hundred years', () => {
    assert.deepEqual([0.2, 1000, 1000.4].map(wholeLifetime), [1, 1000, 1001]);
    for (const long of [Infinity, 1e21, longestSeconds * 1000 + 1])
      assert.equal(wholeLifetime(long), longestSeconds * 1000);
    for (const past of [-Infinity, -1e21]) assert.equal(wholeLifetime(past), -longestSeconds * 1000);
  });
});

describe('an entry in memory', () => {
  it('never expires later than requested, not even by rounding', () => {
    const store = createMemoryExpiringStore();
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 86_400_000 }), fc.uuid(), (lifetime, key) => {
        const taken = store.take(key, 1, lifetime);
        assert.ok(!(taken instanceof Promise));
        assert.ok(
          Number.isInteger(taken.endsIn) && taken.endsIn <= lifetime && taken.endsIn > lifetime - 1000,
        );
        store.put(`${key} value`, 'v', { lifetime });
        const found = store.get(`${key} value`);
        assert.ok(found !== undefined && !(found instanceof Promise) && found.endsIn <= lifetime);
      }),
      { numRuns: 500 },
    );
  });

  it('is removed first if written longest ago, beyond the limit', () => {
    const store = createMemoryExpiringStore({ limit: 3 });
    for (const key of ['a', 'b', 'c']) store.put(key, key, { lifetime: 60_000 });
    store.extend('a', 60_000);
    store.put('d', 'd', { lifetime: 60_000 });
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => store.get(key) !== undefined),
      [true, false, true, true],
    );
  });

  it('is absent once expired, cannot be taken, and makes room', () => {
    const store = createMemoryExpiringStore({ limit: 2 });
    store.put('over', '1', { lifetime: -1 });
    store.put('stays', '1', { lifetime: 60_000 });
    store.put('new', '1', { lifetime: 60_000 });
    assert.deepEqual(
      ['over', 'stays', 'new'].map((key) => store.get(key) !== undefined),
      [false, true, true],
    );
    assert.equal(store.remove('over'), false);
    assert.equal(store.put('over', '2', { lifetime: 60_000, expected: null }), true);
  });
});
