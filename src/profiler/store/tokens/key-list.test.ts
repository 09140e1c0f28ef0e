import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packKeys, unpackKeys } from './key-list.js';
import { TakenKeys } from './taken-keys.js';
import { toRanges } from './to-ranges.js';

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

describe('ranges of keys', () => {
  it('hold the keys and no other, in order, none touching the next', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 30 }), (keys) => {
        const ranges = toRanges(keys);
        const inside = ranges.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, at) => start + at),
        );
        assert.deepEqual(
          inside,
          [...new Set(keys)].toSorted((a, b) => a - b),
        );
        for (const [at, { start, end }] of ranges.entries()) {
          assert.ok(end > start);
          assert.ok(at === 0 || start > (ranges[at - 1]?.end ?? start));
        }
      }),
    );
  });

  it('of any keys are bytes and back', () => {
    const key = fc.oneof(
      fc.integer(),
      fc.maxSafeNat().map((n) => Math.floor(n / 4)),
      fc.nat(2 ** 47).map((n) => -1 - n),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
        const bytes = packKeys(keys);
        assert.deepEqual(unpackKeys(bytes), keys);
        for (let end = 0; end < bytes.length; end++)
          assert.throws(() => unpackKeys(bytes.subarray(0, end)), RangeError);
      }),
    );
  });

  it('that are taken are replaced by fresh ones, each once', () => {
    const keys = new TakenKeys((key) => key === 5);
    const [first, second, third] = keys.replace([4, 5, 4]);
    assert.deepEqual([first, keys.renamed], [4, 2]);
    assert.ok((second ?? 0) < 0 && (third ?? 0) < 0 && second !== third);
    assert.deepEqual([keys.replace([6]), keys.renamed], [[6], 2]);
    assert.ok((keys.replace([6])[0] ?? 0) < 0);
  });
});
