import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, type Configuration, createApp, HttpResponse } from 'lookback';
import { createLocale } from 'lookback/locale';
import { openApi } from 'lookback/openapi';
import { createMemoryUserProvider, createPasswords, createSecurity, formLogin } from 'lookback/security';
import { createTestClient } from 'lookback/testing';
import { staticFiles } from 'lookback/web';
import { hasNginx, type Nginx, startNginx } from './start-nginx.js';

const hash = createPasswords().hash('open sesame');
const files = mkdtempSync(join(tmpdir(), 'lookback-files-'));
mkdirSync(join(files, 'folder'));
writeFileSync(join(files, 'a.txt'), 'a file');
writeFileSync(join(files, 'folder', 'index.html'), '<p>a folder');
after(() => rmSync(files, { recursive: true }));

/** A shop with one route of each kind whose response contains a path. */
async function createShop(configuration: Partial<Configuration>): Promise<App> {
  const users = [{ identifier: 'ada', roles: ['ROLE_USER'], passwordHash: await hash }];
  const app: App = createApp({
    configuration: {
      env: 'dev',
      debug: true,
      profilerStore: 'memory:',
      host: '127.0.0.1',
      port: 0,
      trustedProxies: ['loopback'],
      ...configuration,
    },
    logHandlers: [],
    locale: createLocale({ enabled: ['en', 'fr'] }),
    security: createSecurity({
      provider: createMemoryUserProvider(users),
      firewalls: [{ name: 'main', authenticators: [formLogin()], logout: true, rememberMe: true }],
      accessControl: [{ path: '/members', allow: 'ROLE_USER' }],
    }),
    extensions: [
      openApi({ app: () => app, info: { title: 'Shop', version: '1' } }),
      staticFiles(files, { path: '/files' }),
    ],
  });
  app.get(
    '/',
    ({ url }) =>
      HttpResponse.html(`<!doctype html><title>Shop</title><body><a href="${url('about')}">About</a></body>`),
    { name: 'home' },
  );
  app.get('/mail', ({ url }) => ({ link: url('home', {}, { type: 'absolute' }) }));
  app.get('/wrong', ({ url }) => url('home', {}, { absolute: true } as never)); // as from JavaScript
  app.get('/about', ({ request, url }) => ({ url: request.url, home: url('home'), path: request.path }), {
    name: 'about',
  });
  app.get('/{_locale<en|fr>}/articles', ({ locale }) => locale, { name: 'articles' });
  app.get('/members', ({ user }) => `Hello ${user?.identifier ?? ''}`);
  app.get('/login', () => 'Log in', { name: 'login' });
  return app;
}

/** The application's cookies, without the toolbar's redirect cookie. */
const ownCookies = ({ headers }: Response): readonly string[] =>
  headers.getSetCookie().filter((cookie) => !cookie.startsWith('lookback_previous='));

/** Tests what a visitor sees below `/app`; `ask` sends a request to the public URL. */
function followShop(base: () => string, ask: (url: string, init?: RequestInit) => Promise<Response>): void {
  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    ask(base() + path, { redirect: 'manual', ...init });
  const locationOf = async (path: string, init?: RequestInit): Promise<string> => {
    const response = await get(path, init);
    await response.text();
    return new URL(response.headers.get('location') ?? 'none:', base()).href.replace(
      new URL(base()).origin,
      '',
    );
  };

  it('generated URLs and the request have the base path; a context generates absolute URLs, and refuses wrong options', async () => {
    const response = await get('/app/about');
    assert.deepEqual(await response.json(), { url: `${base()}/app/about`, home: '/app/', path: '/about' });
    assert.match(await (await get('/app/')).text(), /<a href="\/app\/about">/);
    assert.deepEqual(await (await get('/app/mail')).json(), { link: `${base()}/app/` });
    assert.match(await (await get('/app/wrong')).text(), /OPTIONS_UNKNOWN/);
  });

  it('redirects for a slash, for the bare base path and for a locale stay below it, with their query', async () => {
    assert.equal(await locationOf('/app/about/?a=b%20c'), '/app/about?a=b%20c');
    assert.equal(await locationOf('/app'), '/app/');
    assert.equal(
      await locationOf('/app/articles?x=1', { headers: { 'Accept-Language': 'fr' } }),
      '/app/fr/articles?x=1',
    );
    assert.equal(await locationOf('/app/files/folder'), '/app/files/folder/');
  });

  it('files are served', async () => {
    assert.equal(await (await get('/app/files/a.txt')).text(), 'a file');
    assert.equal(await (await get('/app/files/folder/')).text(), '<p>a folder');
  });

  it('a login leads to the requested page, and a logout to the start page', async () => {
    const denied = await get('/app/members?page=2', { headers: { Accept: 'text/html' } });
    assert.equal(denied.headers.get('location'), '/app/login');
    const [target = ''] = ownCookies(denied);
    assert.match(target, /^login_target=.*; Path=\/app(?:;|$)/);
    const headers = { Cookie: target.split(';')[0] ?? '', Origin: new URL(base()).origin };
    const wrong = new URLSearchParams({ _username: 'ada', _password: 'wrong' });
    assert.equal(
      await locationOf('/app/login', { method: 'POST', headers, body: wrong }),
      '/app/login?error=credentials',
    );
    const right = new URLSearchParams({ _username: 'ada', _password: 'open sesame', _remember_me: 'on' });
    const login = await get('/app/login', { method: 'POST', headers, body: right });
    assert.equal(login.headers.get('location'), '/app/members?page=2');
    const cookies = ownCookies(login);
    assert.ok(cookies.length >= 3, cookies.join('\n'));
    for (const cookie of cookies) assert.match(cookie, /; Path=\/app(?:;|$)/);
    const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
    assert.equal(await (await get('/app/members', { headers: { Cookie } })).text(), 'Hello ada');
    assert.equal(
      await locationOf('/app/logout', { method: 'POST', headers: { ...headers, Cookie } }),
      '/app/',
    );
  });

  it("a 404's message names the requested URL", async () => {
    const missed = await (await get('/app/robots.txt', { headers: { Accept: 'application/json' } })).text();
    const { detail } = JSON.parse(missed) as { detail: string }; // a problem document
    assert.equal(detail, `No route found for "GET ${base()}/app/robots.txt"`);
  });

  it('the toolbar, the link to the record, and every link in the profiler work', async () => {
    const response = await get('/app/', {
      headers: { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    });
    const page = await response.text();
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
    assert.equal(script, '/app/_profiler/toolbar.js');
    assert.equal((await get(script)).status, 200);
    const token = response.headers.get('x-debug-token') ?? '';
    assert.match(page, new RegExp(`data-lookback="/app/_profiler/${token}"`));
    assert.equal((await get(`/app/_profiler/${token}/toolbar`)).status, 200);
    const link = response.headers.get('x-debug-token-link') ?? '';
    assert.equal(link, `${base()}/app/_profiler/${token}`);
    for (const path of [new URL(link).pathname, '/app/_profiler/', '/app/_profiler/routes']) {
      const shown = await get(path, { headers: { Accept: 'text/html' } });
      assert.equal(shown.status, 200, path);
      const targets = [...(await shown.text()).matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(
        ([, to = '']) => to,
      );
      assert.ok(targets.length > 3);
      for (const to of targets) assert.match(to, /^\/app\//, `${path} links to ${to}`);
    }
    const data = (await (await get(`/app/_profiler/${token}.json`)).json()) as { request: { url: string } };
    assert.equal(data.request.url, `${base()}/app/`);
    assert.equal(await locationOf('/app/_profiler'), '/app/_profiler/');
  });

  it('the OpenAPI document names it as its server', async () => {
    const document = (await (await get('/app/openapi.json')).json()) as { servers?: unknown };
    assert.deepEqual(document.servers, [{ url: '/app' }]);
  });
}

const forwarded = `proxy_http_version 1.1; proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;`;

const proxies = [
  {
    name: 'that removes the prefix and says so',
    configuration: {},
    server: (port: number) => `location = /app { return 301 /app/$is_args$args; }
      location /app/ { ${forwarded} proxy_set_header X-Forwarded-Prefix /app; proxy_pass http://127.0.0.1:${port}/; }`,
  },
  {
    name: 'that removes the prefix named in the configuration',
    configuration: { basePath: '/app/' },
    server: (port: number) => `location = /app { return 301 /app/$is_args$args; }
      location /app/ { ${forwarded} proxy_pass http://127.0.0.1:${port}/; }`,
  },
  {
    name: 'that keeps the prefix named in the configuration',
    configuration: { basePath: '/app' },
    server: (port: number) => `location /app { ${forwarded} proxy_pass http://127.0.0.1:${port}; }`,
  },
] as const;

describe(
  'an application below a path, behind nginx',
  { skip: hasNginx ? false : 'nginx is not installed: its three set-ups are left out' },
  () => {
    for (const { name, configuration, server } of proxies)
      describe(name, () => {
        let app: App;
        let nginx: Nginx | undefined;
        before(async () => {
          app = await createShop(configuration);
          const { port } = await app.listen();
          nginx = await startNginx(server(port));
        });
        after(async () => {
          await nginx?.stop();
          await app.close();
        });
        followShop(() => nginx?.url ?? '', ask);
      });
  },
);

/** Sends a request over a socket with exactly these header fields: `fetch` replaces `Sec-Fetch-Mode`. */
async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET', body } = init;
  const sent = textOf(body);
  const send = url.startsWith('https:') ? requestHttps : request;
  const options = { method, headers: fieldsOf(init), agent: false, rejectUnauthorized: false };
  const outgoing = send(url, options).end(sent);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]; // the argument of the event
  const received = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    received.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  return new Response(await text(incoming), { status: incoming.statusCode ?? 0, headers: received });
}

/** The same over HTTP/2. */
async function askHttp2(url: string, init: RequestInit = {}): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  const session = connect(origin, { rejectUnauthorized: false });
  const stream = session.request({
    ...fieldsOf(init),
    ':method': init.method ?? 'GET',
    ':path': pathname + search,
  });
  if (!stream.writableEnded) stream.end(textOf(init.body)); // the stream of a GET has already ended
  const [fields] = (await once(stream, 'response')) as [IncomingHttpHeaders]; // the argument of the event
  const body = await text(stream);
  session.close();
  const received = new Headers();
  for (const [name, value] of Object.entries(fields))
    if (!name.startsWith(':')) for (const one of [value].flat()) received.append(name, one ?? '');
  return new Response(body, { status: Number(fields[':status']), headers: received });
}

function textOf(body: RequestInit['body']): string {
  return body instanceof URLSearchParams ? body.toString() : '';
}

function fieldsOf({ headers = {}, body }: RequestInit): Record<string, string> {
  const type = textOf(body) === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return { ...type, ...Object.fromEntries(new Headers(headers)) };
}

describe('an application below a configured path, without a proxy', () => {
  const files = join(process.cwd(), 'test/fixtures/tls');
  const tls = { cert: join(files, 'cert.pem'), key: join(files, 'key.pem') };
  for (const [name, send] of [
    ['over TLS', ask],
    ['over HTTP/2', askHttp2],
  ] as const)
    describe(name, () => {
      let app: App;
      let url = '';
      before(async () => {
        app = await createShop({ basePath: '/app', tls });
        url = (await app.listen()).url;
      });
      after(() => app.close());
      followShop(() => url, send);
    });
});

describe('an application below a path, by app.fetch', () => {
  const peer = { address: '127.0.0.1' };
  for (const { name, configuration, removes, headers } of [
    {
      name: 'with a proxy that names the prefix',
      configuration: {},
      removes: true,
      headers: { 'X-Forwarded-Prefix': '/app', 'X-Forwarded-For': '127.0.0.1' },
    },
    {
      name: 'that is configured and not removed',
      configuration: { basePath: '/app' },
      removes: false,
      headers: {},
    },
  ] as const)
    describe(name, () => {
      let app: App;
      before(async () => {
        app = await createShop(configuration);
      });
      after(() => app.close());
      followShop(
        () => 'http://localhost',
        (url, init) => {
          if (removes && url === 'http://localhost/app')
            // as proxies that strip the path do
            return Promise.resolve(new Response(null, { status: 301, headers: { Location: '/app/' } }));
          const sent = removes ? url.replace('/app/', '/') : url;
          return app.fetch(sent, { ...init, headers: { ...headers, ...(init?.headers as object) }, peer }); // a record in these tests
        },
      );
    });
});

describe('a configured base path', () => {
  it('is read from BASE_PATH, and refused if it is not a path', async () => {
    process.env['BASE_PATH'] = '/tools/app/';
    try {
      const app = createApp({ configuration: { env: 'test', profilerStore: 'off' } });
      app.get('/about', () => 'about', { name: 'about' });
      assert.deepEqual([app.configuration.basePath, app.url('about')], ['/tools/app', '/tools/app/about']);
      await app.close();
      for (const bad of [
        'app',
        '//evil.example',
        '/a/../b',
        '/a//b',
        '/a b',
        'http://a.example/app',
        '/a?b',
        '/a;b',
      ]) {
        process.env['BASE_PATH'] = bad;
        assert.throws(() => createApp(), { code: 'CONFIG_BAD_VALUE', message: /BASE_PATH/ }, bad);
      }
    } finally {
      delete process.env['BASE_PATH'];
    }
    assert.throws(() => createApp({ configuration: { basePath: '//evil.example' } }), {
      code: 'OPTIONS_BAD_VALUE',
    });
    assert.throws(() => createApp({ configuration: { basePath: 7 as never } }), {
      code: 'OPTIONS_BAD_VALUE',
    });
  });

  it('is added by the test client, which then sends the cookies back', async () => {
    const app = await createShop({ env: 'test', basePath: '/app' });
    const client = createTestClient(app);
    await client
      .get('/about')
      .expectJson({ url: 'http://localhost/app/about', home: '/app/', path: '/about' });
    await client.get('/app/about').expectStatus(200);
    const form = { _username: 'ada', _password: 'open sesame' };
    await client.post('/login', { form }).expectHeader('location', '/app/');
    assert.equal((await client.get('/members')).text, 'Hello ada');
    await app.close();
  });

  it('is compared decoded and by whole segments', async () => {
    const app = createApp({
      configuration: { env: 'test', profilerStore: 'off', basePath: '/caf%C3%A9/a' },
      logHandlers: [],
    });
    app.any('/{rest<.*>}', ({ request: { basePath, path } }) => `${basePath} ${path}`);
    for (const [path, seen] of [
      ['/caf%c3%a9/a/x', '/x'],
      ['/caf%C3%A9/%61/x%2Fy', '/x/y'],
      ['/caf%C3%A9%2Fa/x', '/café/a/x'],
      ['/caf%C3%A9/ab', '/café/ab'],
      ['/caf%C3%A9', '/café'],
      ['/other', '/other'],
    ] as const)
      assert.equal(await (await app.fetch(path, { method: 'POST' })).text(), `/caf%C3%A9/a ${seen}`, path);
    await app.close();
  });
});

describe('cookies of an application over HTTPS', () => {
  const cookieNames = async (basePath: string): Promise<readonly string[]> => {
    const app = await createShop({ basePath });
    const response = await app.fetch(`https://localhost${basePath}/members`, {
      headers: { Accept: 'text/html' },
      peer: { address: '127.0.0.1' },
      redirect: 'manual',
    });
    await app.close();
    return ownCookies(response).map((cookie) => cookie.replace(/=[^;]*/, ''));
  };

  it('are bound to the host, or to the base path, which the __Host- prefix forbids', async () => {
    assert.match((await cookieNames('')).join(), /^__Host-login_target; Path=\/; .*Secure/);
    assert.match((await cookieNames('/app')).join(), /^login_target; Path=\/app; .*Secure/);
  });
});

describe('an X-Forwarded-Prefix', () => {
  let app: App;
  before(async () => {
    app = await createShop({});
  });
  after(() => app.close());
  const ask = (prefix: string, address = '127.0.0.1', path = '/about/'): Promise<Response> =>
    app.fetch(path, {
      redirect: 'manual',
      headers: { 'X-Forwarded-Prefix': prefix, 'X-Forwarded-For': '127.0.0.1' },
      peer: { address },
    });

  it('is refused with 400 if it could lead elsewhere', async () => {
    for (const prefix of [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'evil.example',
      'https://evil.example',
      '/a/../b',
      '/a/./b',
      '/..',
      '/%2e%2e/b',
      '/a%2Fb',
      '/a%5Cb',
      '/a%0D%0AX:y',
      '/a//b',
      '/a b',
      '/a;Domain=evil.example',
      '/a?b',
      '/a#b',
      '/a%',
      '/a"><script>',
      `/${'a'.repeat(300)}`,
      '/app, /other',
      '/app,',
      '/app, //evil.example',
    ])
      for (const path of ['/about/', '/articles', '/members', '/_profiler/']) {
        const response = await ask(prefix, '127.0.0.1', path);
        assert.equal(response.status, 400, prefix);
        assert.equal(response.headers.get('location'), null);
        for (const [name, value] of response.headers)
          assert.doesNotMatch(`${name}: ${value}`, /evil\.example/, prefix);
      }
  });

  it('counts if all proxies agree, and is ignored if it is a slash or empty', async () => {
    for (const [prefix, location] of [
      ['/app', '/app/about'],
      ['/app/, /app', '/app/about'],
      ['/v1.0/caf%C3%A9', '/v1.0/caf%C3%A9/about'],
      ['/', '/about'],
      ['', '/about'],
    ] as const)
      assert.equal((await ask(prefix)).headers.get('location'), location, prefix);
  });

  it('is ignored from a peer that is not a trusted proxy', async () => {
    for (const prefix of ['/app', '//evil.example', '/a/../b']) {
      const response = await ask(prefix, '203.0.113.9');
      assert.deepEqual([response.status, response.headers.get('location')], [301, '/about']);
    }
  });

  it('is not removed from the path, so that repeating it bypasses no proxy rule', async () => {
    const response = await ask('/app', '127.0.0.1', '/app/about');
    assert.equal(response.status, 404);
  });
});
