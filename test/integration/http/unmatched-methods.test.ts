import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, createApp, type ControllerContext } from 'lookback';
import { createLocale } from 'lookback/locale';
import {
  type Authenticator,
  createLoginLinks,
  createMemoryUserProvider,
  createSecurity,
  formLogin,
  jsonLogin,
} from 'lookback/security';
import { cors } from 'lookback/web';
import type { Answer, Asked, Transport } from './transports.js';
import { ask, field, openTransport, tlsFiles, transportNames } from './transports.js';

/** An application's own login, which does not declare its methods. */
const tokenLogin: Authenticator = {
  name: 'token-login',
  isInteractive: true,
  supports: ({ method, path }) => method === 'POST' && path === '/token',
  authenticate: () => ({ identifier: 'nobody', badges: [] }),
};

function openApp(isEncrypted: boolean): App {
  const provider = createMemoryUserProvider([]);
  const app = createApp({
    configuration: {
      env: 'test',
      debug: true,
      profilerStore: 'memory:',
      ...(isEncrypted ? { tls: tlsFiles } : {}),
    },
    locale: createLocale({ enabled: ['en', 'fr'] }),
    security: createSecurity({
      provider,
      firewalls: [
        {
          name: 'api',
          path: '/api',
          authenticators: [jsonLogin({ path: '/api/login' })],
          logout: { path: ({ path }) => path === '/api/bye' },
        },
        {
          name: 'main',
          authenticators: [
            formLogin(),
            formLogin2('/entry', '/entry/check'),
            createLoginLinks({ secret: 'a secret for this test that is long enough' }).authenticator,
            tokenLogin,
          ],
          entryPoint: 'form-login',
          logout: true,
        },
      ],
      accessControl: [{ path: '/admin', allow: 'ROLE_ADMIN' }],
    }),
    logHandlers: [],
  }).use(cors({ origins: ['https://app.example'], paths: ['/open'] }));
  app.get('/login', () => 'the form', { name: 'login' });
  app.get('/open', () => 'open', { name: 'open' });
  app.route({
    path: '/declared',
    methods: ['GET', 'OPTIONS'],
    name: 'declared',
    controller: () => 'OPTIONS',
  });
  const page = ({ params }: ControllerContext): string => `page ${String(params['slug'])}`;
  app.get('/{_locale<en|fr>}/articles/{slug}', page, { name: 'article' });
  app.get('/{_locale<en|fr>}/{slug}', page, { name: 'page' });
  app.get('/{_locale<en|fr>}/', () => 'home', { name: 'home' });
  return app;
}

function formLogin2(loginPath: string, checkPath: string): Authenticator {
  return { ...formLogin({ loginPath, checkPath }), name: 'second-form' };
}

for (const name of transportNames)
  describe(`a path that allows other methods, over ${name}`, () => {
    let app: App;
    let transport: Transport;
    before(async () => {
      app = openApp(name === 'TLS' || name === 'HTTP/2');
      transport = await openTransport(name, app);
    });
    after(async () => {
      await transport.close();
      await app.close();
    });
    const send = (asked: Asked): Promise<Answer> =>
      ask(transport, { ...asked, headers: { accept: 'text/html', ...asked.headers } });
    const expectRefusal = async (method: string, path: string, allow: string): Promise<Answer> => {
      const answer = await send({ method, path });
      const message = `No route found for "${method} ${transport.origin}${path}": Method Not Allowed (Allow: ${allow})`;
      assert.deepEqual([answer.status, field(answer, 'allow')], [405, allow], `${method} ${path}`);
      if (method !== 'HEAD')
        assert.equal(decodeURIComponent(field(answer, 'x-debug-exception') ?? ''), message);
      return answer;
    };

    it('R6: OPTIONS is refused with the declared methods, unless a route declares it', async () => {
      await expectRefusal('OPTIONS', '/open', 'GET');
      await expectRefusal('OPTIONS', '/en/articles/a', 'GET');
      const declared = await send({ method: 'OPTIONS', path: '/declared' });
      assert.deepEqual([declared.status, declared.body.slice(0, 7)], [200, 'OPTIONS']);
      assert.equal((await send({ method: 'OPTIONS', path: '/nowhere' })).status, 404);
    });

    it('R6: cors() answers preflights as before, and only those', async () => {
      const preflight = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };
      const allowed = await send({ method: 'OPTIONS', path: '/open', headers: preflight });
      assert.deepEqual(
        [allowed.status, field(allowed, 'access-control-allow-origin')],
        [204, preflight.origin],
      );
      const { origin } = preflight;
      const plain = await send({ method: 'OPTIONS', path: '/open', headers: { origin } });
      assert.deepEqual([plain.status, field(plain, 'allow')], [405, 'GET']);
      const elsewhere = await send({ method: 'OPTIONS', path: '/declared', headers: preflight });
      assert.equal(field(elsewhere, 'access-control-allow-origin'), undefined);
    });

    it('R5: also includes the method of a login or logout that only the firewall answers; the page says which', async () => {
      for (const [method, path, allow, hint] of [
        ['GET', '/logout', 'POST', 'The firewall main answers this path with POST (logout).'],
        ['DELETE', '/logout', 'POST', 'The firewall main answers this path with POST (logout).'],
        ['GET', '/api/login', 'POST', 'The firewall api answers this path with POST (json-login).'],
        ['GET', '/api/bye', 'POST', 'The firewall api answers this path with POST (logout).'],
        ['GET', '/entry/check', 'POST', 'The firewall main answers this path with POST (second-form).'],
        [
          'PUT',
          '/login/link',
          'GET, POST',
          'The firewall main answers this path with GET or POST (login-link).',
        ],
        ['GET', '/token', 'POST', 'The firewall main answers this path with POST (token-login).'],
        ['PUT', '/login', 'GET, POST', 'The firewall main answers this path with POST (form-login).'],
      ] as const) {
        const { body } = await expectRefusal(method, path, allow);
        assert.ok(body.includes(hint), `${path}: ${hint}`);
        assert.doesNotMatch(body, /matches none of|Did you mean/, path);
      }
      assert.equal((await send({ path: '/login' })).body.slice(0, 8), 'the form');
      assert.equal((await send({ path: '/nowhere/at/all' })).status, 404);
      assert.equal((await send({ path: '/api/nowhere' })).status, 404);
    });

    it('R5: the record of a refused logout says so too, and access rules still apply first', async () => {
      const { token } = await recordOf('/logout');
      const { body } = await send({ path: `/_profiler/${token}?panel=routing` });
      assert.match(body, /answered with other methods only: POST/);
      assert.equal((await send({ path: '/admin/nowhere' })).status, 302, 'a stranger');
    });

    async function recordOf(path: string): Promise<{ token: string }> {
      const token = field(await send({ path }), 'x-debug-token') ?? '';
      return { token };
    }

    it('R9, K4: /robots.txt and the like are not found, even if a localised page may have any name', async () => {
      for (const path of [
        '/robots.txt',
        '/favicon.ico',
        '/apple-touch-icon.png',
        '/.env',
        '/wp-login.php',
        '/.git/',
        '/sitemap.xml/',
        '/index.php~',
        '/backup.tar.gz',
      ])
        for (const accept of ['text/html', '*/*']) {
          const answer = await send({ path, headers: { accept } });
          assert.equal(answer.status, 404, `${path} ${accept}`);
          if (path === '/robots.txt')
            assert.equal(
              decodeURIComponent(field(answer, 'x-debug-exception') ?? ''),
              `No route found for "GET ${transport.origin}/robots.txt"`,
            );
        }
    });

    it('K4: navigations to a page are redirected to their locale, and every client to a literal path', async () => {
      const target = async (path: string, headers: Record<string, string>): Promise<string | undefined> =>
        field(await send({ path, headers: { 'accept-language': 'fr', ...headers } }), 'location');
      const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      assert.equal(await target('/about?x=1', html), '/fr/about?x=1');
      assert.equal(await target('/about', { ...html, 'sec-fetch-mode': 'navigate' }), '/fr/about');
      assert.equal(await target('/about', { ...html, 'sec-fetch-mode': 'cors' }), undefined);
      assert.equal(await target('/about', { accept: '*/*' }), undefined);
      assert.equal(await target('/about', { accept: 'text/html;q=0, */*' }), undefined);
      assert.equal(await target('/about', { accept: 'image/png' }), undefined);
      assert.equal(await target('/articles/a.png', { accept: '*/*' }), '/fr/articles/a.png');
      assert.equal(await target('/', { accept: '*/*' }), '/fr/');
      assert.equal(await target('/node.js-tips', html), '/fr/node.js-tips');
    });
  });
