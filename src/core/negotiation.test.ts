import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { negotiateType, mediaRangeSpecificity, parseQualityValues } from './negotiation.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('Accept', () => {
  const offered = ['text/html', 'application/json', 'text/plain'];
  it('selects by quality, then specificity, then header order, then offer order', () => {
    const cases: readonly (readonly [string | undefined, string | undefined])[] = [
      [undefined, 'text/html'],
      ['', 'text/html'],
      ['*/*', 'text/html'],
      ['application/json', 'application/json'],
      ['APPLICATION/JSON', 'application/json'],
      ['text/*;q=0.5, application/json;q=0.4', 'text/html'],
      ['text/*, text/html;q=0.1', 'text/plain'],
      ['text/html;q=0, */*;q=0.1', 'application/json'],
      ['application/json;q=0.9,text/plain;q=0.901', 'text/plain'],
      ['image/png', undefined],
      ['*/*;q=0', undefined],
      ['application/json;q=2', undefined],
      ['application/json;v=1;q=0.2, text/plain; Q=0.1', 'application/json'],
      ['text/html;level=1;q=0.1, text/html, application/json;q=0.5', 'text/html'],
      ['text/html;level=1, text/html;q=0.1, application/json;q=0.5', 'application/json'],
      ['text/html;level=1;q=0.1, text/html;level=2;q=0.7, application/json;q=0.5', 'text/html'],
      ['application/json;profile="a,text/html";q=0.1, text/plain;q=0.2', 'text/plain'],
      ['*/*, application/json', 'application/json'],
      ['text/plain, application/json', 'text/plain'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ];
    for (const [accept, expected] of cases) assert.equal(negotiateType(accept, offered), expected, accept);
  });

  it('ignores case, and returns the type as offered', () => {
    assert.equal(negotiateType('text/html', ['application/json', 'TEXT/HTML']), 'TEXT/HTML');
  });

  it('never throws, and returns only offered types', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const chosen = negotiateType(text, offered);
        assert.ok(chosen === undefined || offered.includes(chosen));
      }),
    );
  });
});

describe('parseQualityValues', () => {
  it('reads values and weights in the order sent', () => {
    const cases: [header: string, expected: readonly (readonly [string, number])[]][] = [
      ['', []],
      ['text/html', [['text/html', 1]]],
      ['fr-CA;q=0.8, EN ; Q = 0.25', [['fr-ca', 0.8], ['en', 0.25]]], // prettier-ignore
      ['text/plain;format=flowed;q=0.1', [['text/plain', 0.1]]],
      ['a;q=1.000, b;q=0, c;q=0.', [['a', 1], ['b', 0], ['c', 0]]], // prettier-ignore
      ['a;q=1.5, b;q=abc, c;q=, d;q=0.1234, e', [['e', 1]]],
      [',;q=1,,a', [['a', 1]]],
      ['a;p="x,y;q=0.1";q=0.5, b', [['a', 0.5], ['b', 1]]], // prettier-ignore
      ['a;p="x\\",b;q=0', []], // unclosed quotation mark
    ];
    for (const [header, expected] of cases) {
      const found = parseQualityValues(header).map(({ value, quality }) => [value, quality] as const);
      assert.deepEqual(found, expected, header);
    }
  });

  it('never throws, returns weights from 0 to 1, and is bounded', () => {
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
    assert.ok(process.cpuUsage(start).user < 2_000_000, 'parsing time is linear in the input');
  });

  it('a range matches a type, its family, everything, or nothing', () => {
    assert.equal(mediaRangeSpecificity('text/html', 'text/html'), 3);
    assert.equal(mediaRangeSpecificity('text/*', 'text/html'), 2);
    assert.equal(mediaRangeSpecificity('*/*', 'text/html'), 1);
    assert.equal(mediaRangeSpecificity('*', 'text/html'), 1);
    assert.equal(mediaRangeSpecificity('tex/*', 'text/html'), 0);
    assert.equal(mediaRangeSpecificity('application/*', 'text/html'), 0);
  });
});
