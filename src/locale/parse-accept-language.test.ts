import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAcceptLanguage } from './parse-accept-language.js';

const rangesOf = (header: string): readonly string[] =>
  parseAcceptLanguage(header).map(({ range, quality }) => `${range} ${quality}`);

describe('the languages that a client would take', () => {
  it('are in the order of their weights, equal ones as they were sent', () => {
    assert.deepEqual(rangesOf('fr-CA, de;q=0.5, en;q=0.9, *;q=0.1'), [
      'fr-ca 1',
      'en 0.9',
      'de 0.5',
      '* 0.1',
    ]);
    assert.deepEqual(rangesOf('de, fr, en'), ['de 1', 'fr 1', 'en 1']);
  });

  it('include what must not be chosen', () => {
    assert.deepEqual(rangesOf('fr;q=0, de'), ['de 1', 'fr 0']);
  });

  it('may be written with an underscore, and in any case', () => {
    assert.deepEqual(rangesOf('EN_us'), ['en-us 1']);
  });

  it('are those that can be read; the rest is passed over', () => {
    assert.deepEqual(rangesOf('fr!, de, a-b-c-d-e-f-g-h-i, toolonglanguage, -, en-'), ['de 1']);
    assert.deepEqual(rangesOf(''), []);
  });

  it('are well-formed and ordered, whatever the header says', () => {
    const part = fc.tuple(
      fc.stringMatching(/^[A-Za-z*_-]{0,12}$/),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    const header = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(part)
        .map((parts) => parts.map(([range, weight]) => `${range};q=${weight.toFixed(3)}`).join(', ')),
    );
    fc.assert(
      fc.property(header, (text) => {
        const ranges = parseAcceptLanguage(text);
        for (const [at, { range, quality }] of ranges.entries()) {
          assert.match(range, /^(?:[a-z0-9]+(?:-[a-z0-9]+)*|\*)$/);
          assert.ok(quality >= 0 && quality <= 1 && quality <= (ranges[at - 1]?.quality ?? 1));
        }
      }),
    );
  });
});
