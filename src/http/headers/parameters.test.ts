import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseParameters, splitUnquoted } from './parameters.js';

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', ';', ',', '=', ' ', '\t', 'ä'),
  maxLength: 12,
});
const quote = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;

describe('parameters of a header', () => {
  it('are read as they were written, quoted or not, whatever blanks stand around them', () => {
    const blank = fc.constantFrom('', ' ', '\t', ' \t ');
    const pair = fc.record({ name: token, value: fc.oneof(token, text), before: blank, after: blank });
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: ({ name }) => name.toLowerCase() }), (pairs) => {
        const written = pairs
          .map(({ name, value, before, after }) => `${before}${name}=${quote(value)}${after}`)
          .join(';');
        const parts = splitUnquoted(written, ';');
        assert.ok(parts !== undefined);
        assert.deepEqual(
          [...(parseParameters(parts) ?? [])],
          pairs.map(({ name, value }) => [name.toLowerCase(), value]),
        );
      }),
    );
  });

  it('are none where one is malformed or stands twice', () => {
    for (const bad of [
      'a',
      '=b',
      'a=',
      'a=b c',
      'a="b',
      'a=b"',
      'a="b"c',
      'a b=c',
      'a=b;A=c',
      'a="\n"',
      'a="\\',
    ])
      assert.equal(parseParameters(splitUnquoted(bad, ';') ?? [bad]), undefined, bad);
    assert.deepEqual([...(parseParameters(['', ' ', 'a=b']) ?? [])], [['a', 'b']]);
    assert.deepEqual([...(parseParameters(['for=[::1]:80'], /^[^"]+$/) ?? [])], [['for', '[::1]:80']]);
  });

  it('are parted at separators outside of quotes only, and put together again they are the text', () => {
    fc.assert(
      fc.property(text, (written) => {
        const parts = splitUnquoted(written, ',');
        if (parts !== undefined) assert.equal(parts.join(','), written);
        else assert.match(written, /"/);
        assert.deepEqual(splitUnquoted(`x,${quote(written)},y`, ','), ['x', quote(written), 'y']);
      }),
    );
  });

  it('take no longer for blanks than for letters', () => {
    const blanks = ' '.repeat(200_000); // the square of it would take minutes
    assert.equal(parseParameters([`a${blanks}b`]), undefined);
    assert.deepEqual([...(parseParameters([`${blanks}a=b${blanks}`]) ?? [])], [['a', 'b']]);
  });
});
