import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';

/** The bytes of one number. */
function bytesOf(value: number): number[] {
  const out = new ByteWriter(0);
  out.number(value);
  return [...out.bytes];
}

describe('a number as bytes', () => {
  it('has seven bits in each byte, the lowest first', () => {
    assert.deepEqual(bytesOf(0), [0]);
    assert.deepEqual(bytesOf(127), [127]);
    assert.deepEqual(bytesOf(128), [128, 1]);
    assert.deepEqual(bytesOf(300), [172, 2]);
    assert.deepEqual(bytesOf(2 ** 31 - 1), [255, 255, 255, 255, 7]);
    assert.deepEqual(bytesOf(2 ** 31), [128, 128, 128, 128, 8]);
    assert.deepEqual(bytesOf(2 ** 32), [128, 128, 128, 128, 16]);
    assert.deepEqual(bytesOf(Number.MAX_SAFE_INTEGER), [255, 255, 255, 255, 255, 255, 255, 15]);
  });

  it('comes back on both sides of each power of two', () => {
    for (let power = 0; power <= 53; power++)
      for (const step of [-1, 0, 1]) {
        const value = 2 ** power + step;
        if (value > Number.MAX_SAFE_INTEGER) continue;
        assert.equal(new ByteReader(Uint8Array.from(bytesOf(value))).number(), value);
      }
  });

  it('that is none from 0 to 2^53 − 1 is 0', () => {
    for (const value of [-1, Number.NaN, Infinity, -Infinity, 2 ** 53, 1e300, Number(undefined)])
      assert.deepEqual(bytesOf(value), [0], String(value));
  });

  it('longer than eight bytes, or without its last byte, is refused', () => {
    const endless = new ByteReader(new Uint8Array(20).fill(255));
    assert.throws(() => endless.number(), { name: 'RangeError', message: 'A number is too long.' });
    for (const bytes of [[], [128], [255, 255]])
      assert.throws(() => new ByteReader(Uint8Array.from(bytes)).number(), /The bytes end early/);
  });

  it('that announces more than follows is refused before anything is made of it', () => {
    const from = new ByteReader(Uint8Array.from([3, 1, 1]));
    assert.throws(() => from.count(), /More is announced than there is/);
    const enough = new ByteReader(Uint8Array.from([2, 1, 1]));
    assert.deepEqual([enough.count(), enough.left], [2, 2]);
  });
});

describe('a double', () => {
  it('comes back bit by bit', () => {
    for (const value of [
      0,
      -0,
      0.1,
      -1.5,
      Number.MIN_VALUE,
      Number.MAX_VALUE,
      Infinity,
      -Infinity,
      Number.NaN,
    ]) {
      const out = new ByteWriter(0);
      out.double(value);
      assert.ok(Object.is(new ByteReader(out.bytes).double(), value), String(value));
    }
  });

  it('is read where it stands in a larger buffer', () => {
    const larger = Buffer.alloc(32);
    larger.writeDoubleLE(12.75, 11);
    assert.equal(new ByteReader(larger.subarray(11, 19)).double(), 12.75);
    assert.throws(() => new ByteReader(larger.subarray(11, 18)).double(), RangeError);
  });
});
