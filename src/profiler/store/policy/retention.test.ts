import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byReason, isPruneReason, emptyReasonCounts } from './retention.js';

describe('reasons for which records go', () => {
  it('are four, each with something of its own', () => {
    assert.deepEqual(
      byReason((reason) => reason.toUpperCase()),
      {
        count: 'COUNT',
        age: 'AGE',
        bytes: 'BYTES',
        purge: 'PURGE',
      },
    );
    assert.deepEqual(emptyReasonCounts(), { count: 0, age: 0, bytes: 0, purge: 0 });
    assert.notEqual(emptyReasonCounts(), emptyReasonCounts());
    for (const value of ['pruned', 'toString', '', null, 1]) assert.equal(isPruneReason(value), false);
    assert.equal(isPruneReason('age'), true);
  });
});
