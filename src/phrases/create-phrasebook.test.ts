import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createPhrasebook, type Phrasebook } from './create-phrasebook.js';
import { inLanguage, type Language } from './page-language.js';

type Phrase = 'Open' | '{n} file|{n} files' | 'From {from} to {to}' | 'Has | in it';

const book: Phrasebook<Phrase> = createPhrasebook({
  fr: {
    Open: 'Ouvrir',
    '{n} file|{n} files': '{n} fichier|{n} fichiers',
    'From {from} to {to}': 'De {from} à {to}',
    'Has | in it': 'A | dedans',
  },
  de: {
    Open: 'Öffnen',
    '{n} file|{n} files': '{n} Datei|{n} Dateien',
    'From {from} to {to}': 'Von {from} bis {to}',
    'Has | in it': 'Hat | darin',
  },
});

const languages: readonly Language[] = ['en', 'fr', 'de'];
const anyText = fc.string({ unit: 'binary', maxLength: 30 });

describe('a phrasebook', () => {
  it('says a text in the language of the page, and in English outside of one', () => {
    assert.equal(book.say('Open'), 'Open');
    assert.deepEqual(
      languages.map((language) => inLanguage(language, () => book.say('Open'))),
      ['Open', 'Ouvrir', 'Öffnen'],
    );
  });

  it('chooses the form for one or many as each language counts', () => {
    const files = (language: Language, n: number): string =>
      inLanguage(language, () => book.say('{n} file|{n} files', { n }));
    assert.deepEqual(
      [0, 1, 2].map((n) => files('en', n)),
      ['0 files', '1 file', '2 files'],
    );
    assert.deepEqual(
      [0, 1, 2].map((n) => files('fr', n)),
      ['0 fichier', '1 fichier', '2 fichiers'],
    );
    assert.deepEqual(
      [0, 1, 1.5].map((n) => files('de', n)),
      ['0 Dateien', '1 Datei', '1,5 Dateien'],
    );
  });

  it('writes numbers as the language does, and texts as they are', () => {
    const far = { from: 1234567, to: '1234567' };
    assert.equal(
      inLanguage('en', () => book.say('From {from} to {to}', far)),
      'From 1,234,567 to 1234567',
    );
    assert.equal(
      inLanguage('de', () => book.say('From {from} to {to}', far)),
      'Von 1.234.567 bis 1234567',
    );
  });

  it('keeps the bar of a text that no number is given to', () => {
    assert.equal(book.say('Has | in it'), 'Has | in it');
    assert.equal(book.say('Has | in it', { n: 'two' }), 'Has | in it');
  });

  it('fills in any text unread: neither names in it nor signs of a replacement mean anything', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...languages), (from, to, language) => {
        const said = inLanguage(language, () => book.say('From {from} to {to}', { from, to }));
        const [before, between] = { en: ['From ', ' to '], fr: ['De ', ' à '], de: ['Von ', ' bis '] }[
          language
        ];
        assert.equal(said, `${before ?? ''}${from}${between ?? ''}${to}`);
      }),
    );
  });

  it('leaves the name of a value that is not given', () => {
    assert.equal(book.say('From {from} to {to}', { from: 'here' }), 'From here to {to}');
    assert.equal(
      book.say('From {from} to {to}', Object.create({ from: 'inherited' }) as Record<string, string>),
      'From {from} to {to}',
    );
  });

  it('knows its own texts from those of others', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.constantFrom('toString', '__proto__', 'constructor', 'open')),
        (text) => {
          assert.equal(
            inLanguage('fr', () => book.sayKnown(text)),
            text === 'Open' ? 'Ouvrir' : text,
          );
        },
      ),
    );
  });
});
