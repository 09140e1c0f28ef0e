import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseTargetPath } from './target-path.js';

const site = 'https://here.example';

describe('the target after a login', () => {
  it('stays on this site, as a browser reads it', () => {
    const anyTarget = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: fc.constantFrom(...'/\\@:.?#%&=ahttps0\t\n\r '.split('')), maxLength: 30 }),
      fc
        .string({ unit: fc.constantFrom('/', '\\', '\t', '\n', 'x', '?', '#', '.'), maxLength: 6 })
        .map((text) => `/${text}`),
    );
    fc.assert(
      fc.property(anyTarget, (text) => {
        const target = parseTargetPath(text);
        if (target === undefined) return;
        assert.equal(target, text, 'an accepted target is returned unchanged');
        assert.equal(new URL(target, site).origin, site);
        assert.equal(new URL(target, `${site}/deep/path/`).origin, site);
        assert.equal(new URL(`${site}${target}`).origin, site);
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts paths with queries', () => {
    for (const path of [
      '/',
      '/a',
      '/a/b?c=d&e=%20',
      '/a?q=\\',
      "/a'b(c)*",
      '/~me/;x=1',
      '/a#part',
      '/%2F%2Fevil',
    ])
      assert.equal(parseTargetPath(path), path);
  });

  it('accepts nothing that could leave the site, and nothing but paths', () => {
    for (const bad of [
      undefined,
      '',
      'a',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '\\/evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      ' /a',
      '/a b',
      '/a\\b',
      '/é',
      '/\0',
      '/\x7f',
      `/${'a'.repeat(2000)}`,
    ])
      assert.equal(parseTargetPath(bad), undefined, JSON.stringify(bad));
    assert.equal(parseTargetPath(`/${'a'.repeat(1999)}`)?.length, 2000);
  });
});
