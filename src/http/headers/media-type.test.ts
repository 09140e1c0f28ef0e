import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseMediaType } from './media-type.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('media types', () => {
  it('one reading for 30 spellings: a type or none', () => {
    const json = [
      'application/json',
      'Application/JSON',
      ' application/json ',
      'application/json;',
      'application/json ; charset=utf-8',
      'application/json;charset="utf-8"',
      'application/json;\tcharset=utf-8',
      'application/json;a=1;b=2',
    ];
    for (const text of json) assert.equal(parseMediaType(text)?.essence, 'application/json', text);
    const none = [
      '',
      'application',
      'application/',
      '/json',
      'application/json/x',
      'application /json',
      'application/ json',
      'application/json x',
      'application/json\t',
      '\tapplication/json',
      'application/json, text/plain',
      'application/json;charset',
      'application/json;=x',
      'application/json;a="x',
      'application/json;a="x"y',
      'application/json;a=1;A=2',
      'application/json;a=b c',
      'application/js on',
      'application/json\x00',
      'application/json\x0b',
      'application/json;a=\x00',
      'appl(ication)/json',
      '*',
    ];
    for (const text of none) assert.equal(parseMediaType(text), undefined, JSON.stringify(text));
    assert.equal(parseMediaType('a/b;x="q\\"\\\\;,"')?.parameters.get('x'), 'q"\\;,');
  });

  it('never throws, and what it gives is a token twice', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseMediaType(text);
        if (parsed !== undefined) assert.match(parsed.essence, /^[^\s/;,]+\/[^\s/;,]+$/);
      }),
      { numRuns: 2000 },
    );
  });
});
