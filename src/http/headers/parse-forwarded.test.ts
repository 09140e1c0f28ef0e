import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseForwarded } from './parse-forwarded.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('Forwarded', () => {
  it('RFC 7239: elements, quoted values, escapes', () => {
    const parsed = parseForwarded('for="[2001:db8::1]:80";Proto=https, for=192.0.2.4;by="a\\"b,c;d"');
    assert.deepEqual(
      parsed?.map((element) => [...element]),
      [
        [
          ['for', '[2001:db8::1]:80'],
          ['proto', 'https'],
        ],
        [
          ['for', '192.0.2.4'],
          ['by', 'a"b,c;d'],
        ],
      ],
    );
  });

  it('refuses what is malformed or said twice', () => {
    for (const text of ['for', '=a', 'for=a b', 'for="a', 'for="a"b', 'for=a;for=b', 'f r=a', 'for=a/b']) {
      assert.equal(parseForwarded(text), undefined, text);
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(anyText, (text) => void parseForwarded(text)),
      { numRuns: 2000 },
    );
  });
});
