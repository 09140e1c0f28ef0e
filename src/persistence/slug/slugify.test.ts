import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SlugField } from '../plan/entity-plan.js';
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

  it('a number never makes it longer than its column, and is distinguished from the text', () => {
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

const numbered = (maxLength: number, separator?: string): SlugField => ({
  field: 'slug',
  from: ['title'],
  maxLength,
  translated: false,
  ...(separator === undefined ? {} : { separator }),
});

describe('a slug with its number', () => {
  it('fits its column, and is another one for each number', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 12, max: 60 }),
        fc.constantFrom('-', '_', '--'),
        (title, maxLength, separator) => {
          const options = numbered(maxLength, separator);
          const base = slugify(title, options);
          const slugs = Array.from({ length: 30 }, (_, number) => numberSlug(base, number, options));
          for (const slug of slugs) {
            assert.ok(slug.length <= maxLength, slug);
            assert.ok(slug.isWellFormed(), 'no character is cut in two');
          }
          assert.equal(new Set(slugs.slice(1)).size, 29);
          for (const [number, slug] of slugs.entries())
            if (base.length + 4 <= maxLength) assert.ok(isNumberedFrom(slug, base, options), String(number));
        },
      ),
    );
  });

  it('ends in its number where it was cut, without the separator twice', () => {
    assert.equal(numberSlug('hello-world', 0, numbered(20)), 'hello-world');
    assert.equal(numberSlug('hello-world', 12, numbered(8)), 'hello-12');
    assert.equal(numberSlug('hello-world', 1, numbered(7)), 'hello-1');
    assert.equal(numberSlug('ab😀cd', 1, numbered(5)), 'ab-1');
    assert.equal(numberSlug('hello', 3, numbered(Infinity)), 'hello-3');
  });

  it('is known as the base with a number, and nothing else is', () => {
    for (const [slug, expected] of [
      ['tea', true],
      ['tea-1', true],
      ['tea-10', true],
      ['tea-0', false],
      ['tea-01', false],
      ['tea-1a', false],
      ['tea-', false],
      ['teas', false],
      ['te', false],
      ['tea-1-2', false],
    ] as const)
      assert.equal(isNumberedFrom(slug, 'tea', numbered(50)), expected, slug);
  });
});
