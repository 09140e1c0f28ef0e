import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ProfilerLinks, splitUrl } from './links.js';

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });

describe('profiler links', () => {
  const links = new ProfilerLinks('/_profiler');

  it('of a search reproduce any text they were made from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        const [, query = ''] = links.list({ q: `path:/${text}%3A` }).split('?', 2);
        assert.equal(new URLSearchParams(query).get('q'), `path:/${text}%3A`.toWellFormed());
      }),
    );
  });

  it('with any token stay within the profiler', () => {
    fc.assert(
      fc.property(anyText, anyText, (first, second) => {
        const isPlain = /^[0-9a-z]{1,32}$/.test(first);
        for (const href of [
          links.record(first),
          links.action(first, 'replay'),
          links.action(first, 'mark'),
          links.data(first, 'json'),
          links.action(first, 'explain'),
          links.compare(first, second),
        ]) {
          assert.match(href, /^\/_profiler\/[0-9a-z/.-]+$/);
          assert.ok(isPlain ? href.includes(first) : href.includes('malformed'), href);
        }
      }),
    );
    assert.equal(links.compare('abc123', 'last-good'), '/_profiler/compare/abc123/last-good');
    assert.equal(links.compare('last-good', 'abc123'), '/_profiler/compare/malformed/abc123');
  });

  it('only have query parameters with a value', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.option(fc.string(), { nil: undefined })),
        (filters) => {
          const url = new URL(links.list(filters), 'http://a.test');
          assert.equal(url.pathname, '/_profiler/');
          const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
          assert.deepEqual(Object.fromEntries(url.searchParams), Object.fromEntries(given));
          assert.equal(url.hash, '');
        },
      ),
    );
    assert.equal(links.list(), '/_profiler/');
    assert.equal(links.record('abc', { panel: 'db', at: undefined }), '/_profiler/abc?panel=db');
  });

  it('split a URL before its query', () => {
    for (const url of ['/a?b=c', '/a', '?b', '/a?b?c']) {
      const parts: unknown = splitUrl(url);
      assert.equal(Object.values(parts as object).join(''), url); // parts with any names
    }
    assert.deepEqual(['/a', 'http://a.test', 'http://a.test/b?c', '?d'].map(splitUrl), [
      ['/a', ''],
      ['/', ''],
      ['/b', '?c'],
      ['', '?d'],
    ]);
  });
});
