import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inLanguage, type Language } from '#phrases';
import { actionPhrases } from './action-phrases.js';
import { factPhrases } from './fact-phrases.js';
import { framePhrases } from './frame-phrases.js';
import { listPhrases } from './list-phrases.js';
import { panelPhrases } from './panel-phrases.js';
import { phrases } from './phrases.js';
import { recordPhrases } from './record-phrases.js';
import { say, sayKnown } from './say.js';

const namesIn = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('texts of the profiler’s pages', () => {
  it('each has French and German with the same values and as many forms', () => {
    for (const [english, translations] of Object.entries(phrases))
      for (const text of translations) {
        assert.notEqual(text.trim(), '', english);
        const forms = english.split('|');
        assert.equal(text.split('|').length, forms.length, `${english}: ${text}`);
        for (const form of text.split('|'))
          assert.deepEqual(namesIn(form), namesIn(forms[0] ?? ''), `${english}: ${text}`);
      }
  });

  it('stand in one catalogue each', () => {
    const catalogues = [actionPhrases, factPhrases, framePhrases, listPhrases, panelPhrases, recordPhrases];
    const all = catalogues.flatMap((catalogue) => Object.keys(catalogue));
    assert.deepEqual(
      all.filter((phrase, at) => all.indexOf(phrase) !== at),
      [],
    );
    assert.equal(Object.keys(phrases).length, all.length);
  });

  it('are English outside of pages, and in the language of the page within', () => {
    assert.equal(say('Requests'), 'Requests');
    assert.equal(
      inLanguage('fr', () => say('Requests')),
      'Requêtes',
    );
    assert.equal(
      inLanguage('de', () => say('Requests')),
      'Anfragen',
    );
  });

  it('have the form for one or for many as the language counts, and numbers as it writes them', () => {
    const queries = (language: Language, n: number): string =>
      inLanguage(language, () => say('{n} query|{n} queries', { n }));
    assert.deepEqual(
      [queries('en', 0), queries('en', 1), queries('en', 1200)],
      ['0 queries', '1 query', '1,200 queries'],
    );
    assert.equal(queries('fr', 0), '0 requête SQL');
    assert.equal(queries('de', 1200), '1.200 Abfragen');
  });

  it('values stand as they are, whatever they hold', () => {
    assert.equal(say('Did you mean {path}?', { path: '{path} $& |' }), 'Did you mean {path} $& |?');
    assert.equal(say('Did you mean {path}?'), 'Did you mean {path}?');
  });

  it('a text of somebody else stays', () => {
    for (const text of ['Queue', 'toString', '__proto__', ''])
      assert.equal(
        inLanguage('de', () => sayKnown(text)),
        text,
      );
  });
});
