import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type App, type AppOptions, createApp, type RunningServer } from 'lookback';
import { createLoginLinks, createOAuthLogin } from 'lookback/security';
import { webSocket } from 'lookback/web';
import { exchangeBytes, statusesOf } from './http/raw-client.js';

const secret = 'a secret of at least thirty-two characters';
const logged: string[] = [];

function createSite(configuration: AppOptions['configuration']): App {
  logged.length = 0;
  const app = createApp({
    configuration: {
      env: 'prod',
      debug: false,
      profilerStore: 'off',
      port: 0,
      host: '127.0.0.1',
      ...configuration,
    },
    logHandlers: [
      { minLevel: 'warning', handle: ({ level, message }) => logged.push(`${level} ${message}`) },
    ],
  });
  const login = createOAuthLogin({
    name: 'idp',
    server: {
      issuer: 'https://idp.example',
      authorization_endpoint: 'https://idp.example/a',
      token_endpoint: 'https://idp.example/t',
    },
    clientId: 'site',
    clientSecret: 'secret of the site',
    scope: 'profile',
    secret,
    findUser: () => undefined,
  });
  app.get(login.startPath, login.start);
  app.get(
    '/socket',
    webSocket((socket) => socket.close()),
  );
  app.get('/url', ({ request }) => request.web.url);
  app.get('/fails', () => {
    throw new Error('detail of a failure');
  });
  return app;
}

describe('Production without TRUSTED_HOSTS', () => {
  let app: App;
  let server: RunningServer;
  before(async () => {
    app = createSite({});
    server = await app.listen();
  });
  after(() => app.close());

  it('warns once, at startup', () => {
    assert.equal(logged.filter((line) => line.startsWith('warning TRUSTED_HOSTS is empty')).length, 1);
  });

  it('refuses a WebSocket whose Host and Origin are both chosen by its client', async () => {
    assert.equal(await upgradeStatus(server, 'evil.example'), 403);
  });

  it('starts no login at another site, because the client would choose the redirect URI', async () => {
    const { status, headers } = await app.fetch(new Request('http://evil.example/login/idp'));
    assert.deepEqual([status, headers.get('location')], [500, null]);
    assert.ok(
      logged.some((line) => line.includes('TRUSTED_HOSTS is empty, so any client could choose the host')),
    );
  });

  // Newer URL parsers accept `xn--a`.
  const punycode = URL.canParse('http://xn--a/') ? [] : ['xn--a'];
  for (const host of ['256.1.1.1', '1.2.3.4.5', 'a.0x', ...punycode, '999999999999', '127.1'])
    it(`answers a request whose Host is ${host} with 400 and logs nothing critical`, async () => {
      logged.length = 0;
      const received = await exchangeBytes(
        server.port,
        `GET /url HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      assert.deepEqual(statusesOf(received), [400]);
      assert.deepEqual(logged, []);
    });
});

describe('Production with TRUSTED_HOSTS', () => {
  let app: App;
  let server: RunningServer;
  before(async () => {
    app = createSite({ trustedHosts: ['shop.example'] });
    server = await app.listen();
  });
  after(() => app.close());

  it('starts without a warning', () => assert.deepEqual(logged, []));

  it('accepts a WebSocket from its own origin, and refuses another Host', async () => {
    assert.equal(await upgradeStatus(server, 'shop.example'), 101);
    assert.equal(await upgradeStatus(server, 'evil.example'), 400);
  });

  it('starts a login at another site with its own host', async () => {
    const { headers } = await app.fetch(new Request('https://shop.example/login/idp'));
    const redirectUri = new URL(headers.get('location') ?? '').searchParams.get('redirect_uri');
    assert.equal(redirectUri, 'https://shop.example/login/idp/callback');
  });

  it('answers HTTP/1.0 without a Host, as health checks send it', async () => {
    const received = await exchangeBytes(server.port, 'GET /url HTTP/1.0\r\n\r\n');
    assert.deepEqual(statusesOf(received), [200]);
    assert.match(received, /\r\n\r\nhttp:\/\/0\.0\.0\.0\/url$/);
    assert.deepEqual(statusesOf(await exchangeBytes(server.port, 'GET /url HTTP/1.1\r\n\r\n')), [400]);
  });
});

describe('Debug', () => {
  it('hides failure details from requests without a Host, and shows them to requests for localhost', async (t) => {
    const app = createSite({ env: 'dev', debug: true, profilerStore: 'memory:' });
    const { port } = await app.listen();
    t.after(() => app.close());
    const hostless = await exchangeBytes(port, 'GET /fails HTTP/1.0\r\n\r\n');
    const local = await exchangeBytes(
      port,
      'GET /fails HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    assert.deepEqual(
      [hostless, local].map((answer) => answer.includes('detail of a failure')),
      [false, true],
    );
    assert.doesNotMatch(hostless, /X-Debug-Token/i);
  });
});

describe('Login links', () => {
  it('with an origin are whole URLs', () => {
    const links = createLoginLinks({ secret, origin: 'https://shop.example' });
    assert.match(
      links.create({ identifier: 'ada', roles: [] }),
      /^https:\/\/shop\.example\/login\/link\?user=ada&/,
    );
  });

  it('refuse an invalid origin', () => {
    for (const origin of [
      'shop.example',
      'https://shop.example//app',
      'https://shop.example/a/../b',
      'https://ada@shop.example/app',
      'https://shop.example/app?a=b',
      'ftp://shop.example/app',
    ])
      assert.throws(() => createLoginLinks({ secret, origin }), /origin/);
  });

  it("begin with the origin's base path", () => {
    for (const origin of ['https://shop.example/app', 'https://shop.example/app/']) {
      const link = createLoginLinks({ secret, origin }).create({ identifier: 'ada', roles: [] });
      assert.match(link, /^https:\/\/shop\.example\/app\/login\/link\?/);
    }
  });
});

/** The status of a WebSocket handshake from a page on this host, sent to this host. */
async function upgradeStatus({ port }: RunningServer, host: string): Promise<number> {
  const socket = new WebSocket('ws://127.0.0.1/socket', {
    createConnection: () => connect(port, '127.0.0.1'),
    headers: { Host: host },
    origin: `http://${host}`,
  }).on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
}
