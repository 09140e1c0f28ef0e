import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isNumberedFrom, numberSlug, slugify } from './slugify.js';

const field = { field: 'slug', from: [], maxLength: 12, translated: false };

describe('slugify', () => {
  it('spells Latin letters plainly and keeps other scripts', () => {
    assert.equal(slugify('  Crème brûlée & Æsir: L’été! ', {}), 'creme-brulee-aesir-lete');
    assert.equal(slugify('Straße 12', {}), 'strasse-12');
    assert.equal(slugify('Привет, мир', {}), 'привет-мир');
    assert.equal(slugify('日本語 です', {}), '日本語-です');
    assert.equal(slugify('हिन्दी', {}), 'हिन्दी');
    assert.equal(slugify('\u{10783}', {}), 'ae'); // decomposes into a letter that is spelled
    assert.equal(slugify('!?', {}), 'untitled');
  });

  it('styles, separators, own ways', () => {
    assert.equal(slugify('on the road', { style: 'camel' }), 'OnTheRoad');
    assert.equal(slugify('On the Road', { style: 'as-is', separator: '_' }), 'On_the_Road');
    assert.equal(slugify('on', { style: 'upper', prefix: 'a/', suffix: '.html' }), 'a/ON.html');
    assert.equal(slugify('x y', { slugify: (text) => text.replace(' ', '+') }), 'x+y');
  });

  it('a slug of any text is a slug of itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const slug = slugify(text, {});
        assert.equal(slugify(slug, {}), slug);
        assert.match(slug, /^[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u);
      }),
    );
  });

  it('a number never makes it longer than its column, and is told from the text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 0, max: 5000 }), (text, number) => {
        const slug = numberSlug(slugify(text, {}), number, field);
        assert.ok(slug.length <= 12);
      }),
    );
    assert.equal(numberSlug('abcdefghijkl', 10, field), 'abcdefghi-10');
    assert.equal(numberSlug('abcdefgh-jkl', 10, field), 'abcdefgh-10');
    assert.deepEqual(
      ['a', 'a-1', 'a-10', 'a-0', 'a-x', 'ab'].map((slug) => isNumberedFrom(slug, 'a', field)),
      [true, true, true, false, false, false],
    );
  });
});
