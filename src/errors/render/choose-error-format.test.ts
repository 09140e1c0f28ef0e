import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chooseErrorFormat, type ErrorFormat } from './choose-error-format.js';

describe('E2: chooseErrorFormat', () => {
  const rows: [accept: string | undefined, format: ErrorFormat][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['text/html', 'html'],
    ['text/*', 'html'],
    ['application/xhtml+xml', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'html'],
    ['application/json', 'json'],
    ['application/problem+json', 'json'],
    ['application/vnd.api+json', 'json'],
    ['application/*', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['application/json;q=0.5, text/html;q=0.9', 'html'],
    ['text/html;q=0.5, application/json', 'json'],
    ['text/html;q=0, */*', 'json'],
    ['text/plain', 'text'],
    ['text/markdown, text/plain;q=0.5', 'markdown'],
    ['TEXT/PLAIN ; Q=1', 'text'],
    ['text/plain;q=0.9, text/markdown;q=0.8, */*;q=0.1', 'text'],
    ['image/png', 'json'],
    ['text/html;q=2, application/json;q=0.1', 'json'],
    ['image/avif,image/webp,*/*;q=0.8', 'json'],
    ['text/html, */*', 'html'],
    ['text/plain, application/json', 'text'],
    ['application/json, text/plain', 'json'],
    ['*/*;q=0', 'json'],
    [';;;,,,', 'json'],
    ['text/html;level=1, text/plain;q=0.3', 'html'],
  ];
  for (const [accept, format] of rows)
    it(`${accept ?? 'no header'} → ${format}`, () => assert.equal(chooseErrorFormat(accept), format));

  it('reads any header without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z*/;,=q.0-9 ]{0,100}$/)), (accept) => {
        assert.ok(['html', 'json', 'markdown', 'text'].includes(chooseErrorFormat(accept)));
      }),
    );
    assert.equal(chooseErrorFormat('a/b,'.repeat(1_000_000)), 'json');
  });
});
