import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { HttpRequest, HttpResponse, requestLocale } from '#core/http';
import { runInScope, Scope } from '#core/scope';
import { activeLocale, cookieLocale, createLocale, localeCookie, negotiateLocale } from './create-locale.js';

const enabled = ['en', 'fr', 'de', 'pt-BR', 'zh-Hant'];

describe('negotiateLocale', () => {
  it('K4: matches published and everyday cases', () => {
    const cases: [header: string | undefined, expected: string | undefined][] = [
      [undefined, undefined],
      ['', undefined],
      ['da, en-gb;q=0.8, en;q=0.7', 'en'], // RFC 9110 section 12.5.4
      ['fr-CA', 'fr'],
      ['FR_ca', 'fr'],
      ['en_US', 'en'],
      ['FR-ca;q=0.9, de;q=0.95', 'de'],
      ['de;q=0.5, fr;q=0.5', 'de'],
      ['fr;q=0, de;q=0.1', 'de'],
      ['en;q=0', 'fr'],
      ['en;q=0, xx', 'fr'],
      ['en;q=0, *;q=0.1', 'fr'],
      ['*;q=0', undefined],
      ['*;q=0, de', 'de'],
      ['pt;q=0, pt-BR', 'pt-BR'],
      ['pt;q=0, pt', 'en'],
      ['*', 'en'],
      ['fr, *;q=0.5', 'fr'],
      ['it, *;q=0.5', 'en'],
      ['en;q=0.1, *', 'fr'],
      ['pt', 'pt-BR'],
      ['pt-PT', 'pt-BR'],
      ['pt-PT, fr', 'pt-BR'],
      ['zh-TW', 'zh-Hant'],
      ['it-CH, de-CH', 'de'],
      ['zh-Hant-CN-x-private1-private2', 'zh-Hant'], // RFC 4647 section 3.4
      ['zh-hant', 'zh-Hant'],
      ['xx, yy', undefined],
      ['de;q=1.5, fr;q=abc, en;q=0.3', 'en'],
      [';;;,,,=', undefined],
      ['de-DE-1996, en', 'de'],
    ];
    for (const [header, expected] of cases) assert.equal(negotiateLocale(header, enabled), expected, header);
  });

  it('uses another region with the same language if the exact one is missing, preferably with the same script', () => {
    const regional = ['en-GB', 'fr-FR', 'zh-Hans', 'zh-Hant-HK'];
    assert.equal(negotiateLocale('fr-CA', regional), 'fr-FR');
    assert.equal(negotiateLocale('fr_CA, en;q=0.9', regional), 'fr-FR');
    assert.equal(negotiateLocale('zh-TW', regional), 'zh-Hant-HK');
    assert.equal(negotiateLocale('zh-SG', regional), 'zh-Hans');
    assert.equal(negotiateLocale('en;q=0', regional), 'fr-FR');
    assert.equal(negotiateLocale('en;q=0', regional, { fallback: 'zh-Hans' }), 'zh-Hans');
    assert.equal(negotiateLocale('en;q=0', regional, { fallback: 'en-GB' }), 'fr-FR');
    assert.equal(negotiateLocale('en;q=0', ['en', 'en-GB']), undefined);
    assert.equal(negotiateLocale('da', regional, { fallback: 'fr-FR' }), undefined);
  });

  it('never throws, returns only enabled locales, and is bounded', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (header) => {
        const found = negotiateLocale(header, enabled);
        assert.ok(found === undefined || enabled.includes(found));
      }),
    );
    assert.equal(negotiateLocale(`${'xx,'.repeat(10_000)}fr`, enabled), undefined);
  });

  it('never selects a refused locale', () => {
    const tag = fc.constantFrom('en', 'fr', 'de', 'pt-br', 'fr-ca', '*');
    const part = fc
      .tuple(tag, fc.constantFrom('', ';q=0', ';q=0.5', ';q=1'))
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const found = negotiateLocale(parts.join(', '), enabled);
        assert.ok(found === undefined || !parts.includes(`${found.toLowerCase()};q=0`));
      }),
    );
  });
});

describe('createLocale', () => {
  it('refuses an invalid locale and a default that is not enabled', () => {
    assert.throws(() => createLocale({ enabled: ['en', 'not a locale'] }), { code: 'LOCALE_MALFORMED' });
    assert.throws(() => createLocale({ enabled: ['en'], default: 'fr' }), {
      code: 'LOCALE_DEFAULT_NOT_ENABLED',
    });
    assert.equal(createLocale({ enabled: ['pt-br', 'en'] }).default, 'pt-BR');
  });
});

describe('the language cookie', () => {
  const requestOf = (cookie: string): HttpRequest =>
    new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.example', 'Cookie', cookie],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });

  it('is kept for a year, and read by the source with the same name', () => {
    for (const [name, args] of [
      ['locale', []],
      ['lang', ['lang']],
    ] as const) {
      // prettier-ignore
      const response = new HttpResponse(null);
      localeCookie(response, 'pt-BR', ...args);
      const cookie = response.headers.get('set-cookie') ?? '';
      assert.match(cookie, new RegExp(`^${name}=pt-BR;.*Max-Age=31536000(?:;|$)`));
      const source = cookieLocale(...args);
      assert.deepEqual([source.name, source.vary], ['cookie', 'Cookie']);
      assert.equal(source.read(requestOf(cookie.split(';')[0] ?? '')), 'pt-BR');
      assert.equal(source.read(requestOf('other=fr')), undefined);
    }
  });

  it('ignores ranges longer than 80 characters', () => {
    const long = (length: number): string => `fr-${'a'.repeat(length - 3)}`;
    assert.equal(negotiateLocale(long(80), enabled), 'fr');
    assert.equal(negotiateLocale(long(81), enabled), undefined);
  });
});

describe('activeLocale', () => {
  it("is the request's language, or the fallback outside a request", () => {
    const scope = new Scope();
    scope.set(requestLocale, 'de');
    assert.equal(
      runInScope(scope, () => activeLocale('fr')),
      'de',
    );
    assert.deepEqual([activeLocale(), activeLocale('fr')], ['en', 'fr']);
  });
});
