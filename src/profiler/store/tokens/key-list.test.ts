import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packKeys, unpackKeys } from './key-list.js';

const key = fc.oneof(
  fc.integer({ min: -3, max: 300 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
  fc.integer({ min: -(2 ** 48), max: -1 }),
);

describe('keys as bytes', () => {
  it('are read as they were written, in any order', () => {
    fc.assert(fc.property(fc.array(key), (keys) => assert.deepEqual(unpackKeys(packKeys(keys)), keys)));
  });

  it('are a byte each where they follow one another', () => {
    const keys = Array.from({ length: 1000 }, (_, at) => 70_000 + at);
    assert.ok(packKeys(keys).length < 1010);
  });

  it('that are cut off are refused, not read as fewer', () => {
    const bytes = packKeys([1, 2 ** 40, 3]);
    for (let length = 0; length < bytes.length; length++)
      assert.throws(() => unpackKeys(bytes.subarray(0, length)), RangeError);
  });
});
