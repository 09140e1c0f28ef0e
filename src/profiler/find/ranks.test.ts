import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredSummary } from '../model/profile-store.js';
import { compareRanks, sortValue } from './ranks.js';

describe('an order', () => {
  it('by equal values is by key, the newest first, whichever way it goes', () => {
    for (const isAscending of [true, false])
      assert.ok(compareRanks({ column: 'x', isAscending }, { value: 1, key: 5 }, { value: 1, key: 4 }) < 0);
    assert.ok(
      compareRanks({ column: 'x', isAscending: true }, { value: 1, key: 1 }, { value: 2, key: 9 }) < 0,
    );
    assert.ok(
      compareRanks({ column: 'x', isAscending: false }, { value: 1, key: 9 }, { value: 2, key: 1 }) > 0,
    );
  });

  it('is by numbers of the summary or of collectors, and 0 without one', () => {
    const summary = {
      durationMs: 5,
      route: '7',
      collected: { 'db.queries': 3, route: 9 },
    } as never as StoredSummary; // what is requested
    assert.deepEqual(
      ['durationMs', 'db.queries', 'route', 'none'].map((name) => sortValue(summary, name)),
      [5, 3, 9, 0],
    );
  });
});
