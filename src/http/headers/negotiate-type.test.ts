import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { negotiateType } from './negotiate-type.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('Accept', () => {
  const offered = ['text/html', 'application/json', 'text/plain'];
  it('quality, then specificity, then the order of the offer', () => {
    const cases: readonly (readonly [string | undefined, string | undefined])[] = [
      [undefined, 'text/html'],
      ['', 'text/html'],
      ['*/*', 'text/html'],
      ['application/json', 'application/json'],
      ['APPLICATION/JSON', 'application/json'],
      ['text/*;q=0.5, application/json;q=0.4', 'text/html'],
      ['text/*, text/html;q=0.1', 'text/plain'],
      ['text/html;q=0, */*;q=0.1', 'application/json'],
      ['application/json;q=0.9,text/plain;q=0.901', 'text/plain'],
      ['image/png', undefined],
      ['*/*;q=0', undefined],
      ['application/json;q=2', undefined],
      ['application/json;v=1;q=0.2, text/plain; Q=0.1', 'application/json'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ];
    for (const [accept, expected] of cases) assert.equal(negotiateType(accept, offered), expected, accept);
  });

  it('never throws, and gives only what was offered', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const chosen = negotiateType(text, offered);
        assert.ok(chosen === undefined || offered.includes(chosen));
      }),
    );
  });
});
