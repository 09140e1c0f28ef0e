import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { visibleJson, visiblePage } from './visible-text.js';

describe('visiblePage', () => {
  it('writes out what turns text, in text and in attributes that are read; others, styles and scripts stay as they are', () => {
    const page = (mark: string, raw: string): string =>
      `<!doctype html><style>p::before { content: "${raw}" }</style><p title="a > ${mark}" data-a="${raw}">5 > 3 ${mark}abc</p>` +
      `<textarea>${raw}</textarea><script>"${raw}<p>"</script><input value="${raw}"/>${mark}`;
    assert.equal(visiblePage(page('\u202e', '\u202e')), page('⟨U+202E⟩', '\u202e'));
    const harmless = page('', '');
    assert.equal(visiblePage(harmless), harmless);
  });

  it('is linear in what cannot be read as markup', () => {
    for (const text of ['<', '<a "', '<style>', '<!--', '<a b="'])
      assert.ok(visiblePage(`${text.repeat(20_000)}\u202e`).includes('⟨U+202E⟩'), text);
  });
});

describe('visibleJson', () => {
  it('is the same data, and nothing in it turns text or steers a terminal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string({ unit: 'binary' }), (value, text) => {
        const json = visibleJson(JSON.stringify([value, `${text}\u202e\u009b`]));
        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify([value, `${text}\u202e\u009b`])));
        assert.doesNotMatch(json, /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
