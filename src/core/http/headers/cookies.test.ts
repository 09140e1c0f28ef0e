import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#core/coded-error';
import { negotiateType } from '#core/negotiation';
import { parseIpAddress, parseHost } from '../trust/ip-address.js';
import { parseCookies, renderCookie } from './cookies.js';
import { parseMediaType, parseForwarded } from './parameters.js';

describe('the value of a cookie', () => {
  it('loses paired quotation marks only, and decodes only valid escapes', () => {
    const cookies = parseCookies('a="x y"; b="x; c=x"; d=""; e="; f=%41; g=%4; h="%41"');
    assert.deepEqual(Object.fromEntries(cookies), {
      a: 'x y',
      b: '"x',
      c: 'x"',
      d: '',
      e: '"',
      f: 'A',
      g: '%4',
      h: 'A',
    });
  });
});

describe('hostile length', () => {
  it('a header with 8 KiB of repeated text is refused, or contains nothing', () => {
    for (const piece of [
      'a',
      ',',
      ';',
      '=',
      '"',
      '\\',
      ' ',
      '"\\',
      'a=',
      ';a',
      'for=a,',
      '[',
      ':',
      '%',
      'a/b;',
      ', ',
      '\t',
    ]) {
      const text = piece.repeat(8192 / piece.length);
      assert.equal(parseHost(text), undefined, piece);
      assert.equal(parseIpAddress(text), undefined, piece);
      assert.equal(parseForwarded(`for="${text}`), undefined, piece);
      assert.equal(parseMediaType(`a/b;a="${text}`), undefined, piece);
      assert.deepEqual(
        Object.keys(parseCookies(text)).filter((name) => name !== 'a'),
        [],
        piece,
      );
      assert.equal(negotiateType(`${text}, text/plain`, ['text/html']), undefined, piece);
    }
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('cookies', () => {
  it('are read with the value they were set with', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const pair = renderCookie('name', value).split(';')[0] ?? '';
        assert.equal(parseCookies(pair).get('name'), value);
      }),
      { numRuns: 1000 },
    );
  });

  it('are readable by scripts only on request', () => {
    assert.match(renderCookie('a', 'b'), /; HttpOnly/);
    assert.doesNotMatch(renderCookie('a', 'b', { httpOnly: false }), /HttpOnly/i);
  });

  it('cannot be broken out of by a value, path or domain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const render of [
          (): string => renderCookie('a', text),
          (): string => renderCookie('a', '', { path: text }),
          (): string => renderCookie('a', '', { domain: text }),
          (): string => renderCookie(text, ''),
        ]) {
          let rendered: string;
          try {
            rendered = render();
          } catch (error) {
            assert.ok(error instanceof TypeError || isCodedError(error));
            continue;
          }
          assert.match(rendered, /^[^,]*$/);
          assert.match(rendered, /^[\x20-\x7e]*$/);
          assert.ok(rendered.split(';').length <= 5, rendered);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('are refused if browsers would drop them', () => {
    assert.throws(() => renderCookie('a', '', { sameSite: 'None' }), /Secure/);
    assert.throws(() => renderCookie('__Host-a', '', { secure: true, path: '/x' }), /Path=\//);
    assert.throws(() => renderCookie('__Host-a', ''), /Secure/);
    assert.throws(() => renderCookie('__Secure-a', ''), /Secure/);
    for (const name of ['__host-a', '__HOST-a', '__secure-a', '__Http-a', '__Host-Http-a'])
      assert.throws(() => renderCookie(name, ''), /Secure/, name);
    for (const name of ['__http-a', '__Host-Http-a'])
      assert.throws(() => renderCookie(name, '', { secure: true, httpOnly: false }), /HttpOnly/, name);
    assert.ok(renderCookie('a', 'x'.repeat(4095)).startsWith('a=xxx'));
    assert.throws(() => renderCookie('a', 'x'.repeat(4096)), /4098 bytes/);
    for (const maxAge of [Number.NaN, Infinity, 1e21])
      assert.throws(() => renderCookie('a', '', { maxAge }), /maxAge/);
    for (const path of ['', 'account']) assert.throws(() => renderCookie('a', '', { path }), /path option/);
    assert.throws(() => renderCookie('a', '', { expires: new Date(Number.NaN) }), /expires/);
    assert.throws(() => renderCookie('a', '', { sameSite: 'Lax; x' as 'Lax' }), /sameSite/);
    assert.equal(
      renderCookie('__Host-a', 'b', { secure: true, maxAge: 1.9 }),
      '__Host-a=b; Path=/; Max-Age=1; Secure; HttpOnly; SameSite=Lax',
    );
  });

  it('set by other applications are read, and reach no prototype', () => {
    const cookies = parseCookies('a=1; b="2"; a=3; c=100%; d; =e; f=; __proto__=x; g=%C3%A9');
    assert.deepEqual(
      [...cookies],
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '100%'],
        ['f', ''],
        ['__proto__', 'x'],
        ['g', 'é'],
      ],
    );
  });

  it('never throw when parsed', () => {
    fc.assert(fc.property(anyText, (text) => void parseCookies(text)));
  });
});
