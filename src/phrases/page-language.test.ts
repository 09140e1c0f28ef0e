import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chooseLanguage, currentLanguage, inLanguage, isLanguage, languages } from './page-language.js';

describe('the language of a page', () => {
  it('is the first that there is of those that the browser wants, by its weights', () => {
    for (const [header, language] of [
      [undefined, 'en'],
      ['', 'en'],
      ['fr', 'fr'],
      ['de-AT', 'de'],
      ['FR-ca;q=0.5, de;q=0.9', 'de'],
      ['it, es;q=0.9, fr;q=0.1', 'fr'],
      ['fr;q=0, de;q=0.1', 'de'],
      ['fr;q=0', 'en'],
      ['*', 'en'],
      ['de, fr', 'de'],
      ['toString, __proto__', 'en'],
    ] as const)
      assert.equal(chooseLanguage(header), language, header);
  });

  it('is one that there is, whatever the header says', () => {
    const part = fc.tuple(
      fc.constantFrom('fr', 'de', 'en', 'xx', '*', 'fr-FR', ''),
      fc.double({ min: 0, max: 1 }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.array(part)), (given) => {
        const header =
          typeof given === 'string'
            ? given
            : given.map(([range, weight]) => `${range};q=${weight.toFixed(3)}`).join(',');
        assert.ok(isLanguage(chooseLanguage(header)), header);
      }),
    );
  });

  it('holds within the page, also behind a wait and within another one', async () => {
    const later = inLanguage('fr', async () => {
      await Promise.resolve();
      return [currentLanguage(), inLanguage('de', currentLanguage), currentLanguage()];
    });
    assert.equal(currentLanguage(), 'en');
    assert.deepEqual(await later, ['fr', 'de', 'fr']);
    assert.throws(() =>
      inLanguage('de', () => {
        throw new Error('no page');
      }),
    );
    assert.equal(currentLanguage(), 'en');
  });

  it('is known by its tag alone', () => {
    for (const tag of Object.keys(languages)) assert.ok(isLanguage(tag));
    for (const tag of ['', 'FR', 'fr-FR', 'hasOwnProperty', 'English']) assert.ok(!isLanguage(tag), tag);
  });
});
