import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApp, HttpResponse } from 'lookback';
import type { App } from 'lookback';
import { Visitor } from '../security/visitor.js';
import { cookieLocale, createLocale, activeLocale, localeCookie } from 'lookback/locale';

function createShop(): App {
  const locale = createLocale({ enabled: ['en', 'fr', 'de'], stored: [cookieLocale()] });
  const app = createApp({ configuration: { profilerStore: 'off' }, locale });
  app.get(
    '/{_locale<en|fr|de>}/articles/{slug}',
    ({ params, locale: chosen }) => ({ slug: params['slug'], chosen }),
    { name: 'article' },
  );
  app.get('/{_locale<en|fr|de>}', ({ locale: chosen }) => chosen, { name: 'home' });
  app.get(
    '/plain',
    async () => {
      await nextTurn();
      return activeLocale();
    },
    { name: 'plain' },
  );
  app.post('/only-post', () => 'x', { name: 'only_post' });
  app.get(
    '/choose/{to}',
    ({ params }) => {
      const response = HttpResponse.text('chosen');
      localeCookie(response, params['to'] ?? '');
      return response;
    },
    { name: 'choose' },
  );
  return app;
}

const get = (
  app: App,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> =>
  app.fetch(new Request(`http://localhost${path}`, { method, headers, redirect: 'manual' }));

describe('locale', () => {
  const app = createShop();

  it('K3, K4: comes from the route, then the stored choice, then Accept-Language, then the default; with Content-Language and Vary', async () => {
    const cases: [path: string, headers: Record<string, string>, locale: string, vary: string | null][] = [
      ['/fr/articles/x', { 'Accept-Language': 'de', Cookie: 'locale=de' }, 'fr', null],
      ['/plain', { 'Accept-Language': 'de', Cookie: 'locale=fr' }, 'fr', 'Cookie, Accept-Language'],
      [
        '/plain',
        { 'Accept-Language': 'de-AT, en;q=0.5', Cookie: 'locale=xx' },
        'de',
        'Cookie, Accept-Language',
      ],
      ['/plain', {}, 'en', 'Cookie, Accept-Language'],
    ];
    for (const [path, headers, locale, vary] of cases) {
      const response = await get(app, path, headers);
      assert.ok((await response.text()).includes(locale), path);
      assert.equal(response.headers.get('content-language'), locale, path);
      assert.equal(response.headers.get('vary'), vary, path);
    }
  });

  it('is the language of the route if a path has a route only for another method', async () => {
    const wrong = createApp({
      configuration: { profilerStore: 'off' },
      locale: createLocale({ enabled: ['en', 'fr'] }),
      logHandlers: [],
    });
    wrong.get({ en: '/login', fr: '/connexion' }, () => 'form', { name: 'login' });
    wrong.get('/{_locale<en|fr>}/account', () => 'account');
    const languageOf = async (path: string, method: string): Promise<unknown[]> => {
      const answer = await get(wrong, path, { 'Accept-Language': 'en' }, method);
      return [answer.status, answer.headers.get('content-language')];
    };
    assert.deepEqual(await languageOf('/connexion', 'GET'), [200, 'fr']);
    assert.deepEqual(await languageOf('/connexion', 'POST'), [405, 'fr']);
    assert.deepEqual(await languageOf('/login', 'POST'), [405, 'en']);
    assert.deepEqual(await languageOf('/fr/account', 'DELETE'), [405, 'fr']);
    assert.deepEqual(await languageOf('/nowhere', 'POST'), [404, 'en']);
    await wrong.close();
  });

  it('is negotiated with excluded languages, other regions and underscores', async () => {
    for (const [header, locale] of [
      ['en;q=0', 'fr'],
      ['en-GB;q=0, xx', 'en'],
      ['de_AT', 'de'],
      ['DE-ch;q=0.5, *;q=0', 'de'],
    ] as const)
      assert.equal(
        (await get(app, '/plain', { 'Accept-Language': header })).headers.get('content-language'),
        locale,
        header,
      );
    const regional = createApp({
      locale: createLocale({ enabled: ['en_GB', 'fr-FR'], default: 'fr-FR' }),
      configuration: { profilerStore: 'off' },
    });
    regional.get('/', ({ locale }) => locale);
    for (const [header, locale] of [
      ['fr-CA', 'fr-FR'],
      ['en-US', 'en-GB'],
      ['fr;q=0', 'en-GB'],
      ['da', 'fr-FR'],
    ] as const)
      assert.equal(await (await get(regional, '/', { 'Accept-Language': header })).text(), locale, header);
  });

  it('is not announced in Content-Language without configured languages, over fetch or a socket', async () => {
    const silent = createApp({ configuration: { profilerStore: 'off', port: 0 } });
    silent.get('/', ({ locale }) => locale);
    const { url } = await silent.listen();
    for (const answer of [await get(silent, '/'), await fetch(url), await fetch(`${url}/none`)]) {
      assert.equal(answer.headers.get('content-language'), null);
      assert.equal(answer.headers.get('vary')?.includes('Language') ?? false, false);
    }
    await silent.close();
    const one = createApp({
      locale: createLocale({ enabled: ['de'] }),
      configuration: { profilerStore: 'off' },
    });
    one.get('/', ({ locale }) => locale);
    assert.equal((await get(one, '/')).headers.get('content-language'), 'de', 'it asked');
  });

  it('is not announced in Content-Language if that is turned off', async () => {
    const quiet = createApp({
      locale: createLocale({ enabled: ['de', 'fr'], contentLanguage: false }),
      configuration: { profilerStore: 'off' },
    });
    quiet.get('/', ({ locale }) => locale);
    const response = await get(quiet, '/', { 'Accept-Language': 'fr' });
    assert.equal(response.headers.get('content-language'), null);
    assert.equal(await response.text(), 'fr');
  });

  it('K4: a path without its own route is redirected to the one below its locale, with its query, only for GET and HEAD', async () => {
    const target = async (
      path: string,
      headers: Record<string, string> = {},
      method = 'GET',
    ): Promise<[number, string | null]> => {
      const response = await get(app, path, headers, method);
      return [response.status, response.headers.get('location')];
    };
    assert.deepEqual(await target('/articles/caf%C3%A9?x=1&y=%20', { 'Accept-Language': 'fr-CA' }), [
      302,
      '/fr/articles/caf%C3%A9?x=1&y=%20',
    ]);
    assert.deepEqual(await target('/articles/a', { 'Accept-Language': 'fr' }, 'HEAD'), [
      302,
      '/fr/articles/a',
    ]);
    assert.deepEqual(await target('/', { Cookie: 'locale=de' }), [302, '/de']);
    assert.equal(
      (await get(app, '/articles/a', { 'Accept-Language': 'fr' })).headers.get('vary'),
      'Cookie, Accept-Language',
    );
    assert.deepEqual((await target('/articles/a', {}, 'POST'))[0], 404);
    assert.deepEqual((await target('/fr/nothing'))[0], 404, 'no redirect loop under a locale prefix');
    assert.deepEqual((await target('/nothing/at/all'))[0], 404);
    assert.deepEqual((await target('/only-post'))[0], 405, 'the path has its own route');
    assert.notEqual((await target('//evil.example/articles/a'))[1]?.startsWith('//'), true);
  });

  it('K4: is redirected there even from a path that browsers and routes read differently', async () => {
    const visitor = new Visitor(app);
    for (const [path, location] of [
      ['/articles/a\\b', '/en/articles/a%5Cb'],
      ['/articles/a?x=C:\\y', '/en/articles/a?x=C:%5Cy'],
      ['/articles/a/', '/en/articles/a'],
      ['/articles/a%2f', '/en/articles/a'],
      ['/articles/a%2F?x', '/en/articles/a?x'],
      ['/en/articles/a/?x=\\', '/en/articles/a?x=%5C'],
    ] as const)
      assert.equal((await visitor.get(path)).location, location, path);
  });

  it('is stored and read again as a choice; a foreign value is ignored', async () => {
    const cookie = (await get(app, '/choose/fr')).headers.get('set-cookie') ?? '';
    assert.match(cookie, /^locale=fr; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    assert.equal(await (await get(app, '/plain', { Cookie: cookie.split(';')[0] ?? '' })).text(), 'fr');
    for (const foreign of ['xx', 'it', '', 'fr%00', '__proto__'])
      assert.equal(await (await get(app, '/plain', { Cookie: `locale=${foreign}` })).text(), 'en', foreign);
  });

  it("is each request's own, with concurrent requests", async () => {
    const wanted = Array.from({ length: 30 }, (_, index) => ['en', 'fr', 'de'][index % 3] ?? 'en');
    const got = await Promise.all(
      wanted.map(async (tag) => (await get(app, '/plain', { 'Accept-Language': tag })).text()),
    );
    assert.deepEqual(got, wanted);
  });

  it('K4: is not added to a path if rewrite is off: the path below a locale is the only one found', async () => {
    const locale = createLocale({ enabled: ['en', 'fr'], rewrite: false });
    const plain = createApp({ configuration: { profilerStore: 'off' }, locale });
    plain.get('/{_locale<en|fr>}/about', () => 'x', { name: 'about' });
    assert.equal((await get(plain, '/about')).status, 404);
    assert.equal((await get(plain, '/fr/about')).status, 200);
    await plain.close();
  });
});
