import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMemoryStore, createProfiler, type ProfileStore } from '#profiler';
import { watchRequest } from './watch-request.js';

/** A store that others write to before it counts, and again before its answer is there. */
function slowCount(write: (place: 'before' | 'behind') => void): ProfileStore {
  const store = createMemoryStore();
  const totals = store.totals?.bind(store);
  assert.ok(totals !== undefined);
  return Object.assign(store, {
    async totals(order: Parameters<typeof totals>[0]) {
      write('before');
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      const counted = await totals(order);
      write('behind');
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      return counted;
    },
  });
}

describe('a count of records', () => {
  it('counts once what is written while the store is asked', async () => {
    const store = slowCount((place) => {
      if (place === 'before') void profiler.flush();
    });
    const profiler = createProfiler({ store, storeName: 'memory' });
    try {
      for (let at = 0; at < 4; at++) watchRequest(profiler, {});
      const { groups, complete } = await profiler.totals({ isCountOnly: true });
      assert.deepEqual({ count: groups[0]?.count, complete }, { count: 4, complete: true });
    } finally {
      await profiler.close();
    }
  });

  it('counts again where records are written behind its back, and never counts too many', async () => {
    let made = 0;
    const store = slowCount((place) => {
      if (place === 'before') made += Number(watchRequest(profiler, {}) !== '');
      else void profiler.flush();
    });
    const profiler = createProfiler({ store, storeName: 'memory' });
    try {
      made += Number(watchRequest(profiler, {}) !== '');
      const { groups, complete } = await profiler.totals({ isCountOnly: true });
      const count = groups[0]?.count ?? 0;
      assert.ok(complete && made <= 4);
      assert.ok(
        count <= made && count >= made - 1,
        `${count} of ${made}: the last began while it was counted`,
      );
    } finally {
      await profiler.close();
    }
  });
});
