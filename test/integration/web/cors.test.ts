import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApp, requestEvent } from 'lookback';
import { createSecurity } from 'lookback/security';
import { cors } from 'lookback/web';
import { overTransports } from './over-transports.js';

const origin = 'https://app.example.org';
const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } };

overTransports(
  'cors',
  () => ({
    options: {
      extensions: [
        cors({
          origins: [origin, 'https://*.partner.example'],
          credentials: true,
          exposedHeaders: ['X-Total', 'Link'],
          paths: ['/api'],
        }),
      ],
      security: createSecurity({
        secret: 'x'.repeat(32),
        accessControl: [{ path: '/api/secret', allow: 'ROLE_ADMIN' }],
      }),
    },
    define: (app) => {
      app.get('/api/list', () => ['a']);
      app.get('/api/secret', () => 'secret');
      app.get('/open', () => 'open');
      app.get('/api/throw', () => {
        throw new Error('thrown');
      });
    },
  }),
  (bench) => {
    it('a preflight is answered before routing and the firewall', async () => {
      for (const path of ['/api/list', '/api/secret', '/api/nowhere']) {
        const answer = await bench().ask(path, {
          ...preflight,
          headers: { ...preflight.headers, 'access-control-request-headers': 'content-type, x-own' },
        });
        assert.equal(answer.status, 204, path);
        assert.equal(answer.field('access-control-allow-origin'), origin);
        assert.equal(answer.field('access-control-allow-credentials'), 'true');
        assert.match(answer.field('access-control-allow-methods') ?? '', /\bPUT\b/);
        assert.equal(answer.field('access-control-allow-headers'), 'content-type, x-own');
        assert.equal(answer.field('access-control-max-age'), '600');
        assert.match(answer.field('vary') ?? '', /Origin/);
        assert.equal(answer.bytes.length, 0);
      }
    });

    it('a preflight that requests no header fields is answered without a list of them', async () => {
      const { 'access-control-request-headers': _none, ...headers } = preflight.headers as Record<
        string,
        string
      >;
      const answer = await bench().ask('/api/list', { ...preflight, headers });
      assert.equal(answer.status, 204);
      assert.equal(answer.field('access-control-allow-headers'), undefined);
      assert.match(answer.field('vary') ?? '', /Access-Control-Request-Headers/);
    });

    it('another origin gets the response without permission to read it, and with Vary for caches', async () => {
      for (const asked of [
        { method: 'OPTIONS', headers: { ...preflight.headers, origin: 'https://evil.example' } },
        { headers: { origin: 'https://evil.example' } },
        {},
      ]) {
        const answer = await bench().ask('/api/list', asked);
        assert.equal(answer.field('access-control-allow-origin'), undefined);
        assert.equal(answer.field('access-control-allow-credentials'), undefined);
        assert.equal(answer.field('access-control-expose-headers'), undefined);
        assert.match(answer.field('vary') ?? '', /Origin/);
      }
    });

    it('every response can be read, including errors and misses', async () => {
      for (const [path, status] of [
        ['/api/list', 200],
        ['/api/nowhere', 404],
        ['/api/throw', 500],
      ] as const) {
        const answer = await bench().ask(path, { headers: { origin: 'https://x.partner.example' } });
        assert.equal(answer.status, status);
        assert.equal(answer.field('access-control-allow-origin'), 'https://x.partner.example', path);
        assert.equal(answer.field('access-control-expose-headers'), 'X-Total, Link');
      }
    });

    it('other paths, and OPTIONS that are not preflights, are unchanged', async () => {
      const open = await bench().ask('/open', { headers: { origin } });
      assert.equal(open.field('access-control-allow-origin'), undefined);
      const options = await bench().ask('/api/list', { method: 'OPTIONS' });
      assert.equal(options.status, 405);
      assert.match(options.field('allow') ?? '', /GET/);
    });
  },
);

it('cors: by default every page may read responses, without credentials', async () => {
  const app = createApp({ configuration: { profilerStore: 'off' }, logHandlers: [] }).use(cors());
  app.get('/', () => 'x');
  const answer = await app.fetch('/', { headers: { origin } });
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  assert.equal(answer.headers.get('vary'), null);
});

it('cors: a function decides, and lists of methods and headers are sent unchanged', async () => {
  const app = createApp({ configuration: { profilerStore: 'off' }, logHandlers: [] });
  app.use(
    cors({
      origins: (asked, request) => request.query.get('tenant') === asked.slice(8),
      methods: ['GET'],
      allowedHeaders: ['X-One'],
      maxAge: 0,
    }),
  );
  let seen = 0;
  app.on(requestEvent, () => void seen++, { priority: 100 });
  const yes = await app.fetch('/?tenant=a.example', {
    ...preflight,
    headers: { ...preflight.headers, origin: 'https://a.example' },
  });
  assert.equal(yes.headers.get('access-control-allow-origin'), 'https://a.example');
  assert.equal(yes.headers.get('access-control-allow-methods'), 'GET');
  assert.equal(yes.headers.get('access-control-allow-headers'), 'X-One');
  assert.equal(yes.headers.get('access-control-max-age'), '0');
  const no = await app.fetch('/?tenant=b.example', {
    ...preflight,
    headers: { ...preflight.headers, origin: 'https://a.example' },
  });
  assert.equal(no.headers.get('access-control-allow-origin'), null);
  assert.equal(seen, 0, 'no later listener sees a preflight');
});
