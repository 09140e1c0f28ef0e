import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { sourceFiles } from './source-files.js';

type Catalogue = Readonly<Record<string, string>>;

const folders = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => basename(name) === 'fr.json')
  .map((name) => join('src', dirname(name)));

function read(folder: string, language: string): Catalogue {
  return JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Catalogue; // ours
}

const namesIn = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

/** A text as it stands in a source, between whichever quotes. */
function standsIn(source: string, text: string): boolean {
  return ["'", '"', '`'].some((quote) =>
    source.includes(quote + text.replaceAll(quote, `\\${quote}`) + quote),
  );
}

describe('catalogues of translations', () => {
  it('are those of the error page and of the profiler’s pages', () => {
    assert.deepEqual(folders.toSorted(), [
      join('src', 'errors', 'present'),
      join('src', 'profiler', 'words'),
    ]);
  });

  for (const folder of folders) {
    const french = read(folder, 'fr');
    const phrases = Object.keys(french);

    it(`${folder}: every language has the same phrases, in the order of the alphabet`, () => {
      assert.deepEqual(phrases, [...new Set(phrases)].toSorted());
      assert.deepEqual(Object.keys(read(folder, 'de')), phrases);
    });

    for (const language of ['fr', 'de'])
      it(`${folder}: every text in ${language} has the values of its phrase, and as many forms`, () => {
        for (const [english, text] of Object.entries(read(folder, language))) {
          assert.notEqual(text.trim(), '', english);
          const forms = text.split('|');
          assert.equal(forms.length, english.split('|').length, `${english}: ${text}`);
          for (const form of forms)
            assert.deepEqual(namesIn(form), namesIn(english.split('|')[0] ?? ''), `${english}: ${text}`);
        }
      });

    // Some are reasons that a house below gives.
    it(`${folder}: every phrase stands in the sources`, () => {
      const source = [...sourceFiles('src')].map((file) => readFileSync(file, 'utf8')).join('\n');
      assert.deepEqual(
        phrases.filter(
          (phrase) => !standsIn(source, phrase) && !new RegExp(`^\\s+${phrase}: `, 'm').test(source),
        ),
        [],
      );
    });
  }
});
