import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { TranslationStates } from './translation-state.js';

describe("a translated entity's state", () => {
  it('starts in the language it was opened in, and stays', () => {
    const states = new TranslationStates('en');
    const entity = {};
    assert.equal(states.find(entity), undefined);
    const state = states.open(entity, 'de');
    assert.equal(states.open(entity, 'fr'), state);
    assert.deepEqual([state.locale, state.isStale, state.ready], ['de', false, undefined]);
    assert.equal(states.find({}), undefined);
  });
});

describe('entity languages', () => {
  const language = fc.constantFrom('en', 'de', 'fr', 'zh');
  const tag = fc
    .tuple(
      language,
      fc.option(fc.constantFrom('Latn', 'Hant')),
      fc.option(fc.constantFrom('CA', 'CH', '419')),
    )
    .map((parts) => parts.filter((part) => part !== null).join('-'));

  it('fall back from the exact to the plain language, the default last', () => {
    fc.assert(
      fc.property(tag, tag, (standard, wanted) => {
        const locales = new TranslationStates(standard);
        const chain = locales.chain(locales.canonical(wanted));
        assert.ok(!chain.includes(locales.defaultLocale), 'default-locale texts are stored in the rows');
        for (const [at, one] of chain.entries()) {
          assert.ok(wanted === one || wanted.startsWith(`${one}-`));
          const next = chain[at + 1];
          if (next !== undefined) assert.ok(one.length > next.length);
        }
        if (locales.canonical(wanted) === locales.defaultLocale) return;
        assert.equal(chain[0], locales.canonical(wanted));
      }),
    );
    assert.deepEqual(new TranslationStates('en').chain('zh-Hant-TW'), ['zh-Hant-TW', 'zh-Hant', 'zh']);
    assert.deepEqual(new TranslationStates('zh').chain('zh-Hant-TW'), ['zh-Hant-TW', 'zh-Hant']);
  });

  it('have one spelling, and are valid', () => {
    const locales = new TranslationStates('EN-us');
    assert.deepEqual(
      [locales.defaultLocale, locales.canonical(undefined), locales.canonical('FR-ca')],
      ['en-US', 'en-US', 'fr-CA'],
    );
    for (const bad of ['', 'x', 'en_US', 'not a tag', '../etc'])
      assert.throws(() => locales.canonical(bad), { code: 'PERSISTENCE_BAD_LOCALE' }, bad);
    assert.throws(() => new TranslationStates('?'), { code: 'PERSISTENCE_BAD_LOCALE' });
  });
});
