import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { splitUnquoted } from '#core/negotiation';
import { parseParameters, parseMediaType, parseForwarded } from './parameters.js';

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', ';', ',', '=', ' ', '\t', 'ä'),
  maxLength: 12,
});
const quote = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;

describe('header parameters', () => {
  it('are read as written, quoted or not, with any white space around them', () => {
    const blank = fc.constantFrom('', ' ', '\t', ' \t ');
    const pair = fc.record({ name: token, value: fc.oneof(token, text), before: blank, after: blank });
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: ({ name }) => name.toLowerCase() }), (pairs) => {
        const written = pairs
          .map(({ name, value, before, after }) => `${before}${name}=${quote(value)}${after}`)
          .join(';');
        const parts = splitUnquoted(written, ';');
        assert.ok(parts !== undefined);
        assert.deepEqual(
          [...(parseParameters(parts) ?? [])],
          pairs.map(({ name, value }) => [name.toLowerCase(), value]),
        );
      }),
    );
  });

  it('are undefined if one is malformed or repeated', () => {
    for (const bad of [
      'a',
      '=b',
      'a=',
      'a=b c',
      'a="b',
      'a=b"',
      'a="b"c',
      'a b=c',
      'a=b;A=c',
      'a="\n"',
      'a="\\',
    ])
      assert.equal(parseParameters(splitUnquoted(bad, ';') ?? [bad]), undefined, bad);
    assert.deepEqual([...(parseParameters(['', ' ', 'a=b']) ?? [])], [['a', 'b']]);
    assert.deepEqual([...(parseParameters(['for=[::1]:80'], /^[^"]+$/) ?? [])], [['for', '[::1]:80']]);
  });

  it('are split only at separators outside quotes, and join to the same text', () => {
    fc.assert(
      fc.property(text, (written) => {
        const parts = splitUnquoted(written, ',');
        if (parts !== undefined) assert.equal(parts.join(','), written);
        else assert.match(written, /"/);
        assert.deepEqual(splitUnquoted(`x,${quote(written)},y`, ','), ['x', quote(written), 'y']);
      }),
    );
  });

  it('take no longer for white space than for letters', () => {
    const blanks = ' '.repeat(200_000); // quadratic time would take minutes
    assert.equal(parseParameters([`a${blanks}b`]), undefined);
    assert.deepEqual([...(parseParameters([`${blanks}a=b${blanks}`]) ?? [])], [['a', 'b']]);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('media types', () => {
  it('returns a type or undefined for 30 spellings', () => {
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

  it('never throws, and returns two tokens', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseMediaType(text);
        if (parsed !== undefined) assert.match(parsed.essence, /^[^\s/;,]+\/[^\s/;,]+$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('Forwarded', () => {
  it('RFC 7239: elements, quoted values, escapes', () => {
    const parsed = parseForwarded('for="[2001:db8::1]:80";Proto=https, for=192.0.2.4;by="a\\"b,c;d"');
    assert.deepEqual(
      parsed?.map((element) => [...element]),
      [
        [
          ['for', '[2001:db8::1]:80'],
          ['proto', 'https'],
        ],
        [
          ['for', '192.0.2.4'],
          ['by', 'a"b,c;d'],
        ],
      ],
    );
  });

  it('refuses malformed and repeated parts', () => {
    for (const text of ['for', '=a', 'for=a b', 'for="a', 'for="a"b', 'for=a;for=b', 'f r=a', 'for=a/b']) {
      assert.equal(parseForwarded(text), undefined, text);
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(anyText, (text) => void parseForwarded(text)),
      { numRuns: 2000 },
    );
  });
});
