import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { escapeHtml } from './escape-html.js';

function unescapeHtml(text: string): string {
  const named = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };
  return text.replaceAll(/&(quot|amp|lt|gt|#39);/g, (_, name: keyof typeof named) => named[name]);
}

describe('escapeHtml', () => {
  it('leaves nothing that a parser acts on, and loses nothing but NUL', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[<>&"'a\0]*$/)),
        (text) => {
          const escaped = escapeHtml(text);
          assert.doesNotMatch(escaped, /[<>"'\0]|&(?!(?:quot|amp|lt|gt|#39);)/);
          assert.equal(unescapeHtml(escaped), text.replaceAll('\0', '\uFFFD'));
        },
      ),
    );
  });
});
