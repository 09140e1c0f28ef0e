import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatAge, formatBytes, formatCount, formatMilliseconds, isoTime, shortPath } from './formatting.js';

describe('formatted numbers', () => {
  it('have three significant digits for milliseconds', () => {
    const cases: readonly (readonly [number, string])[] = [
      [0, '0.00 ms'],
      [0.042, '0.04 ms'],
      [1.234, '1.23 ms'],
      [12.34, '12.3 ms'],
      [9.996, '10.0 ms'],
      [99.96, '100 ms'],
      [123.4, '123 ms'],
      [999.7, '1.00 s'],
      [1000, '1.00 s'],
      [61_234, '61.23 s'],
      [-5, '-5.00 ms'],
      [Number.NaN, '–'],
      [Infinity, '–'],
    ];
    for (const [value, text] of cases) assert.equal(formatMilliseconds(value), text);
  });

  it('use units of 1,024 for bytes', () => {
    const cases: readonly (readonly [number, string])[] = [
      [0, '0 B'],
      [1023, '1023 B'],
      [1024, '1.0 KiB'],
      [1536, '1.5 KiB'],
      [1024 ** 2, '1.0 MiB'],
      [1024 ** 3, '1.0 GiB'],
      [1024 ** 4, '1024.0 GiB'],
      [-2048, '-2.0 KiB'],
      [Number.NaN, '–'],
    ];
    for (const [value, text] of cases) assert.equal(formatBytes(value), text);
  });

  it('have thousands separators', () => {
    assert.equal(formatCount(1_234_567), '1,234,567');
  });

  it('never decrease as their value grows', () => {
    const size = (text: string): number => {
      const [number = '', unit = ''] = text.split(' ');
      return (
        Number(number) *
        ({ ms: 1, s: 1000, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }[unit] ?? Number.NaN)
      );
    };
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (a, b) => {
          const [least, most] = [Math.min(a, b), Math.max(a, b)];
          assert.ok(size(formatMilliseconds(least)) <= size(formatMilliseconds(most)));
          assert.ok(size(formatBytes(Math.round(least))) <= size(formatBytes(Math.round(most))));
        },
      ),
    );
  });
});

describe('formatted ages', () => {
  it('use one unit, the largest that applies', () => {
    const second = 1000;
    const minute = 60 * second;
    const hour = 60 * minute;
    const day = 24 * hour;
    const cases: readonly (readonly [number, string])[] = [
      [-5000, 'just now'],
      [1999, 'just now'],
      [2 * second, '2 s ago'],
      [minute - 1, '59 s ago'],
      [minute, '1 min ago'],
      [hour - 1, '59 min ago'],
      [hour, '1 h ago'],
      [day - 1, '23 h ago'],
      [day, '1 d ago'],
      [400 * day, '400 d ago'],
    ];
    for (const [age, text] of cases) assert.equal(formatAge(age), text);
  });
});

describe('formatted times', () => {
  it('are in ISO 8601, even if a date cannot represent them', () => {
    assert.equal(isoTime(Date.UTC(2026, 10, 22, 12, 30)), '2026-11-22T12:30:00.000Z');
    for (const value of [Number.NaN, Infinity, 1e300, -1e300])
      assert.equal(isoTime(value), '1970-01-01T00:00:00.000Z');
    assert.match(isoTime(8.64e15), /^\+275760-/);
  });
});

describe('formatted paths', () => {
  it('are relative to the working directory, and complete outside of it', () => {
    const here = process.cwd();
    assert.equal(shortPath(join(here, 'src', 'a.ts')), join('src', 'a.ts'));
    assert.equal(shortPath(here), here);
    assert.equal(shortPath('/elsewhere/a.ts'), '/elsewhere/a.ts');
    assert.equal(shortPath(join(here, '..', 'beside.ts')), join(here, '..', 'beside.ts'));
  });
});
