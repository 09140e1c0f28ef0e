import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseQualityValues, mediaRangeSpecificity } from './parse-quality-values.js';

describe('parseQualityValues', () => {
  it('reads values and weights in the order they were sent', () => {
    const cases: [header: string, expected: readonly (readonly [string, number])[]][] = [
      ['', []],
      ['text/html', [['text/html', 1]]],
      ['fr-CA;q=0.8, EN ; Q = 0.25', [['fr-ca', 0.8], ['en', 0.25]]], // prettier-ignore
      ['text/plain;format=flowed;q=0.1', [['text/plain', 0.1]]],
      ['a;q=1.000, b;q=0, c;q=0.', [['a', 1], ['b', 0], ['c', 0]]], // prettier-ignore
      ['a;q=1.5, b;q=abc, c;q=, d;q=0.1234, e', [['e', 1]]],
      [',;q=1,,a', [['a', 1]]],
    ];
    for (const [header, expected] of cases) {
      const found = parseQualityValues(header).map(({ value, quality }) => [value, quality] as const);
      assert.deepEqual(found, expected, header);
    }
  });

  it('never throws, gives weights from 0 to 1, and is bounded', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (header) => {
        for (const { quality } of parseQualityValues(header)) assert.ok(quality >= 0 && quality <= 1);
      }),
    );
    assert.equal(parseQualityValues('a,'.repeat(100_000)).length, 100);
    const start = process.cpuUsage();
    for (const pumped of [
      'q='.repeat(32_768),
      ';'.repeat(65_536),
      ' '.repeat(65_536),
      `a;q${' '.repeat(65_536)}`,
    ])
      parseQualityValues(pumped);
    assert.ok(process.cpuUsage(start).user < 2_000_000, 'linear in what is read');
  });

  it('a range names a type, its family, everything, or nothing', () => {
    assert.equal(mediaRangeSpecificity('text/html', 'text/html'), 3);
    assert.equal(mediaRangeSpecificity('text/*', 'text/html'), 2);
    assert.equal(mediaRangeSpecificity('*/*', 'text/html'), 1);
    assert.equal(mediaRangeSpecificity('*', 'text/html'), 1);
    assert.equal(mediaRangeSpecificity('tex/*', 'text/html'), 0);
    assert.equal(mediaRangeSpecificity('application/*', 'text/html'), 0);
  });
});
