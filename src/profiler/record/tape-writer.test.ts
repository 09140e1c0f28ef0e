import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TapeReader } from './tape-reader.js';
import { TapeWriter } from './tape-writer.js';

const most = Number.MAX_SAFE_INTEGER;
const edges = [0, 127, 128, 2 ** 28, 2 ** 31 - 1, 2 ** 31, 2 ** 35, most];
const whole = fc.oneof(fc.maxSafeNat(), fc.nat(1000), fc.constantFrom(...edges));

describe('numbers on a tape', () => {
  it('come back as they were, one by one and as a list', () => {
    fc.assert(
      fc.property(fc.array(whole), fc.array(whole), fc.nat(64), (numbers, list, expected) => {
        const tape = new TapeWriter(expected);
        for (const number of numbers) tape.number(number);
        tape.numbers(Float64Array.from([...list, 1]), list.length);
        const reader = new TapeReader(tape.bytes, '');
        for (const number of [...numbers, ...list]) assert.equal(reader.number(), number);
        assert.equal(reader.position, tape.byteLength);
      }),
    );
  });

  it('are 0 where they are no whole numbers that can be kept', () => {
    const tape = new TapeWriter(8);
    for (const number of [-1, Number.NaN, Infinity, -Infinity, most + 2, 1e300]) tape.number(number);
    tape.numbers(Float64Array.of(-1, -(2 ** 31), Number.NaN, Infinity), 4);
    assert.deepEqual(
      [...tape.bytes],
      Array.from({ length: 10 }, () => 0),
    );
  });
});
