import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hidePathValues } from './redact-path.js';

describe('values in a path', () => {
  it('are hidden where they stand, however they are encoded', () => {
    for (const [url, values, expected] of [
      ['/reset/abc?a=abc', ['abc'], '/reset/[redacted]?a=abc'],
      ['/reset/abc.html', ['abc'], '/reset/[redacted].html'],
      ['/reset/%61bc', ['abc'], '/reset/[redacted]'],
      ['/reset/a%20b', ['a b'], '/reset/[redacted]'],
      ['/reset/a/b', ['a/b'], '/[redacted]eset/[redacted]/[redacted]'.replace('[redacted]eset', 'reset')],
      ['http://abc/reset/abc#abc', ['abc'], 'http://abc/reset/[redacted]#abc'],
      ['/reset/abc', [], '/reset/abc'],
      ['/reset/abc', [''], '/reset/abc'],
    ] as const)
      assert.equal(hidePathValues(url, values), expected);
  });

  it('never come through, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.boolean(), (value, lower) => {
        const encoded = encodeURIComponent(`${value}C4N4RY`);
        const sent = lower ? encoded.replaceAll(/%../g, (escape) => escape.toLowerCase()) : encoded;
        assert.doesNotMatch(hidePathValues(`/reset/${sent}/x`, [`${value}C4N4RY`]), /C4N4RY/);
      }),
    );
  });
});
