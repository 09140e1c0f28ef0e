import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseByteRange } from './byte-range.js';

describe('parseByteRange', () => {
  it('reads one range, with either end left out', () => {
    const cases: [header: string | undefined, size: number, expected: unknown][] = [
      ['bytes=0-9', 100, { start: 0, end: 9 }],
      ['bytes=90-200', 100, { start: 90, end: 99 }],
      ['bytes=5-', 100, { start: 5, end: 99 }],
      ['bytes=-5', 100, { start: 95, end: 99 }],
      ['bytes=-500', 100, { start: 0, end: 99 }],
      ['BYTES=0-0', 1, { start: 0, end: 0 }],
      ['bytes=100-', 100, 'unsatisfiable'],
      ['bytes=-0', 100, 'unsatisfiable'],
      ['bytes=0-', 0, 'unsatisfiable'],
      ['bytes=-5', 0, 'unsatisfiable'],
      ['bytes=9-5', 100, undefined],
      ['bytes=-', 100, undefined],
      ['bytes=0-1,5-6', 100, undefined],
      ['lines=0-1', 100, undefined],
      ['bytes=a-b', 100, undefined],
      [`bytes=${'9'.repeat(400)}-`, 100, undefined],
      [undefined, 100, undefined],
    ];
    for (const [header, size, expected] of cases)
      assert.deepEqual(parseByteRange(header, size), expected, header);
  });

  it('never leaves the content, whatever is requested', () => {
    const number = fc.oneof(fc.nat(300).map(String), fc.constant(''), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(number, number, fc.nat(200), (first, last, size) => {
        const range = parseByteRange(`bytes=${first}-${last}`, size);
        if (typeof range !== 'object') return;
        assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
      }),
    );
  });
});
