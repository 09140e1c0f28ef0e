import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toBoolean, toDate, toInteger, toNumber, toOneOf } from './text-converters.js';

describe('converters', () => {
  it('take what they say and nothing else', () => {
    assert.deepEqual(['12', '-3', '007', '1e3', '1.0', '', ' 1', '9007199254740993', '١'].map(toInteger), [
      12,
      -3,
      7,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(['1.5', '-2', 'NaN', 'Infinity', '.5', '1.'].map(toNumber), [
      1.5,
      -2,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(['1', 'TRUE', 'off', 'no', '', '2'].map(toBoolean), [
      true,
      true,
      false,
      false,
      undefined,
      undefined,
    ]);
    assert.deepEqual(['a', 'c'].map(toOneOf('a', 'b')), ['a', undefined]);
    assert.equal(toDate('2026-11-21')?.toISOString(), '2026-11-21T00:00:00.000Z');
    assert.equal(toDate('2026-11-21T10:00:00+02:00')?.toISOString(), '2026-11-21T08:00:00.000Z');
    assert.deepEqual(['2026-02-30', '2026-13-01', '21.11.2026', '2026-11-21T10:00', '2026'].map(toDate), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
