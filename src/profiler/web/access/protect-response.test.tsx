import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { renderFragment } from '#core/html';
import { HttpRequest, HttpResponse } from '#core/http';
import { ActionForm } from '../blocks/controls.js';
import { cookiesOfApplication, foreignForm, protectResponse } from './protect-response.js';

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });

function requestOf(headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
}

describe("a form on the profiler's pages", () => {
  const own = { origin: 'http://a.test', 'sec-fetch-site': 'same-origin' };

  it('is only accepted from a page on its own origin', () => {
    const { origin, 'sec-fetch-site': site } = own;
    for (const headers of [own, { origin }, { 'sec-fetch-site': site }])
      assert.equal(foreignForm(requestOf(headers)), undefined);
    const refused: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{}, /which page/],
      [{ ...own, origin: 'http://b.test' }, /another origin/],
      [{ ...own, origin: 'https://a.test' }, /another origin/],
      [{ ...own, origin: 'null' }, /another origin/],
      [{ ...own, 'sec-fetch-site': 'same-site' }, /another origin/],
      [{ ...own, 'sec-fetch-site': 'none' }, /another origin/],
      [{ 'sec-fetch-site': 'cross-site' }, /another origin/],
    ];
    for (const [headers, words] of refused)
      assert.match(foreignForm(requestOf(headers)) ?? '', words, JSON.stringify(headers));
  });

  it('is markup that escapes every value', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (action, name, value) => {
        const hostile = `${value}"><script>`;
        const html = String(
          renderFragment(<ActionForm action={action} label={hostile} fields={{ [`f${name}`]: hostile }} />),
        );
        assert.equal(
          html.split('<').length,
          '<form><input/><button></button></form>'.split('<').length,
          html,
        );
        assert.doesNotMatch(html, /<script/);
      }),
    );
  });

  it("is forwarded without the profiler's own cookies", () => {
    assert.equal(
      cookiesOfApplication('a=1; lookback_a=x;lookback_lang=de; b=lookback_form; lookback_previous=1'),
      'a=1; b=lookback_form',
    );
    assert.equal(cookiesOfApplication(''), '');
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,4}=[\w ]{0,4}[\w]$/), { maxLength: 4 }), (pairs) => {
        assert.equal(cookiesOfApplication(['lookback_a=x', ...pairs].join('; ')), pairs.join('; '));
      }),
    );
  });
});

describe('a profiler response', () => {
  it('cannot be framed, cached, sniffed or read by other sites', () => {
    const headersOf = (
      ...given: Parameters<typeof protectResponse> extends [unknown, ...infer Rest] ? Rest : never
    ) => Object.fromEntries(protectResponse(new HttpResponse('x'), ...given).headers);
    assert.deepEqual(headersOf(), {
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
    const own = headersOf("default-src 'self'", 'SAMEORIGIN');
    assert.deepEqual(
      [own['Content-Security-Policy'], own['X-Frame-Options']],
      ["default-src 'self'", 'SAMEORIGIN'],
    );
  });
});
