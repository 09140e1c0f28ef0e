import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { type AppRoute, type HttpRequest, HttpResponse } from 'lookback';
import {
  accessToken,
  type Authenticator,
  createLoginLinks,
  formLogin,
  hashToken,
  httpBasic,
  jsonLogin,
  listedTokens,
  opaqueTokens,
} from 'lookback/security';
import { checkAuthenticator } from '../contracts/check-authenticator.js';
import { createGuardedApp, reader, secret, whoAmI, type Guarded } from './guarded-app.js';
import { Visitor, type Answer } from './visitor.js';

const browser = new Visitor({ handle: () => assert.fail('nothing is sent here') });
const ask = (headers: Record<string, string>): HttpRequest => browser.request('GET', '/members', { headers });
const basic = (text: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
});
const plain = (): HttpRequest => ask({});

function guardedBy(...authenticators: Authenticator[]): Guarded {
  return createGuardedApp((options) => ({
    ...options,
    firewalls: [
      { name: 'main', authenticators, stateless: !authenticators.some((one) => one.isInteractive) },
    ],
  }));
}

describe('authenticators satisfy their contract', () => {
  const form = (fields: Record<string, string>): HttpRequest =>
    browser.request('POST', '/login', { form: fields });
  const json = (body: unknown): HttpRequest => browser.request('POST', '/login', { json: body });
  const tokens = listedTokens({ 'good-token': 'reader' });
  const links = createLoginLinks({ secret });
  const link = (): string => links.create(reader);
  const suites: [Authenticator, Parameters<typeof checkAuthenticator>[1]][] = [
    [
      formLogin(),
      {
        identifier: 'reader',
        good: () => form({ _username: 'reader', _password: 'x' }),
        malformed: [
          () => form({ _username: 'reader' }),
          () => form({ _username: '', _password: 'x' }),
          () => json({}),
        ],
        foreign: [plain, () => browser.request('GET', '/login'), () => browser.request('POST', '/login/')],
      },
    ],
    [
      jsonLogin(),
      {
        identifier: 'reader',
        good: () => json({ username: 'reader', password: 'x' }),
        malformed: [() => json({ username: 'reader' }), () => json({ username: 1, password: 'x' })],
        foreign: [
          plain,
          () => form({ username: 'reader', password: 'x' }),
          () => browser.request('POST', '/login', { json: {}, headers: { 'Content-Type': 'text/plain' } }),
          () =>
            browser.request('POST', '/login', {
              json: {},
              headers: { 'Content-Type': 'text/plain; application/json' },
            }),
          () => browser.request('POST', '/login', { json: {}, headers: { 'Content-Type': '' } }),
        ],
      },
    ],
    [
      httpBasic(),
      {
        identifier: 'reader',
        good: () => ask(basic('reader:pass:word')),
        malformed: [
          () => ask(basic('reader')),
          () => ask(basic(':x')),
          () => ask({ Authorization: 'Basic %%%' }),
          () => ask({ Authorization: 'Basic ' }),
          () => ask({ Authorization: `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}` }),
        ],
        foreign: [
          plain,
          () => ask({ Authorization: 'Bearer eA==' }),
          () => ask({ Authorization: 'BasicX cjpy' }),
        ],
      },
    ],
    [
      accessToken({ handler: tokens }),
      {
        identifier: 'reader',
        good: () => ask({ Authorization: 'bearer good-token' }),
        malformed: [() => ask({ Authorization: 'Bearer other' }), () => ask({ Authorization: 'Bearer ' })],
        foreign: [
          plain,
          () => ask({ Authorization: 'Basic good-token' }),
          () => ask({ Authorization: 'good-token' }),
          () => browser.request('GET', '/members?access_token=good-token'),
        ],
      },
    ],
    [
      accessToken({ handler: tokens, header: 'X-API-Key' }),
      {
        identifier: 'reader',
        good: () => ask({ 'x-api-key': 'good-token' }),
        malformed: [() => ask({ 'X-API-Key': '' }), () => ask({ 'X-API-Key': 'good-token, good-token' })],
        foreign: [plain, () => ask({ Authorization: 'Bearer good-token' })],
      },
    ],
    [
      links.authenticator,
      {
        identifier: 'reader',
        good: () => browser.request('GET', link()),
        malformed: [
          () => browser.request('GET', '/login/link?hash=x'),
          () => browser.request('GET', '/login/link?hash='),
        ],
        foreign: [plain, () => browser.request('GET', '/login/link'), () => browser.request('PUT', link())],
      },
    ],
  ];
  for (const [authenticator, cases] of suites) {
    for (const { name, run } of checkAuthenticator(authenticator, cases))
      it(`${authenticator.name} ${name}`, run);
  }
});

describe('JSON login', () => {
  const route: AppRoute = { path: '/api/login', name: 'api_login', methods: 'POST', controller: whoAmI };
  const create = (): Guarded =>
    createGuardedApp(
      (options) => ({
        ...options,
        firewalls: [{ name: 'main', authenticators: [jsonLogin({ path: '/api/login' })] }],
      }),
      [route],
    );

  it('continues to the controller for its path, and the session knows the user', async () => {
    const visitor = new Visitor(create().app);
    const answer = await visitor.post('/api/login', { json: { username: 'reader', password: 'reader' } });
    assert.deepEqual([answer.status, answer.body], [200, '{"user":"reader"}']);
    assert.equal((await visitor.get('/members')).status, 200);
  });

  it('answers failures with problem documents: 401, and 429 with a time after too many attempts', async () => {
    const visitor = new Visitor(create().app);
    const refused = { status: 401, detail: 'Invalid credentials.', code: 'credentials' };
    for (let n = 0; n < 5; n++) {
      const wrong = await visitor.post('/api/login', { json: { username: 'reader', password: 'x' } });
      assert.deepEqual(
        [wrong.status, wrong.header('content-type'), JSON.parse(wrong.body)],
        [401, 'application/problem+json', { type: 'about:blank', title: 'Unauthorized', ...refused }],
      );
    }
    const late = await visitor.post('/api/login', { json: { username: 'reader', password: 'reader' } });
    assert.deepEqual([late.status, (JSON.parse(late.body) as { code: string }).code], [429, 'throttled']);
    assert.ok(Number(late.header('retry-after')) > 0);
    assert.equal((await visitor.post('/api/login', { json: ['reader'] })).status, 400);
    const broken = { form: {}, headers: { 'Content-Type': 'application/json' } };
    assert.equal((await visitor.post('/api/login', broken)).status, 400);
  });
});

describe('JSON login with a custom reader', () => {
  const nested = jsonLogin({
    path: '/api/users/login',
    read: ({ at, json, request }) => ({
      identifier: at('user', 'email'),
      password: at('user', 'password'),
      rememberMe: 'user' in json && request.headers.has('x-remember'),
    }),
    onSuccess: (request, token) =>
      request.query.has('own') ? HttpResponse.json({ hello: token.user.identifier }) : undefined,
    onFailure: (_request, error) =>
      error.reason === 'throttled' ? undefined : HttpResponse.json({ no: error.reason }, { status: 403 }),
  });
  const create = (): Visitor =>
    new Visitor(
      createGuardedApp((options) => ({
        ...options,
        firewalls: [{ name: 'main', authenticators: [nested], rememberMe: true }],
      })).app,
    );
  const json = { user: { email: 'reader', password: 'reader' } };

  it('reads nested keys, and answers without a route or with onSuccess', async () => {
    const visitor = create();
    const answer = await visitor.post('/api/users/login', { json });
    assert.deepEqual(
      [answer.status, answer.body],
      [200, '{"user":{"identifier":"reader","roles":["ROLE_READER"]}}'],
    );
    assert.equal((await visitor.get('/members')).status, 200);
    assert.ok(!visitor.cookies.has('remember_me'));
    const own = await create().post('/api/users/login?own=1', { json });
    assert.equal(own.body, '{"hello":"reader"}');
    await visitor.post('/api/users/login', { json, headers: { 'X-Remember': '1' } });
    assert.ok(visitor.cookies.has('remember_me'));
  });

  it('answers failures itself, and leaves throttling to the default response', async () => {
    const visitor = create();
    for (const body of [{}, { user: null }, { user: [] }, { user: { email: 'reader', password: 7 } }]) {
      const answer = await visitor.post('/api/users/login', { json: body });
      assert.deepEqual([answer.status, answer.body], [403, '{"no":"malformed"}']);
    }
    const wrong = { user: { email: 'reader', password: 'x' } };
    for (let n = 0; n < 5; n++)
      assert.equal((await visitor.post('/api/users/login', { json: wrong })).body, '{"no":"credentials"}');
    const late = await visitor.post('/api/users/login', { json });
    assert.equal(late.status, 429);
    assert.ok(Number(late.header('retry-after')) > 0);
    assert.match(late.body, /"code":"throttled"/);
  });
});

describe('access tokens with another scheme', () => {
  it('are read and challenged by their scheme, next to Bearer', async () => {
    const handler = listedTokens({ t: 'reader' });
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: [
        {
          name: 'main',
          stateless: true,
          entryPoint: 'token',
          authenticators: [
            accessToken({ handler, scheme: 'Token', name: 'token', realm: 'shop' }),
            accessToken({ handler }),
          ],
        },
      ],
    }));
    const ask = (value: string): Promise<Answer> =>
      new Visitor(app).get('/members', { headers: { Authorization: value } });
    for (const good of ['Token t', 'token t', 'TOKEN  t', 'Bearer t'])
      assert.equal((await ask(good)).status, 200, good);
    const wrong = await ask('Token x');
    assert.deepEqual([wrong.status, wrong.header('www-authenticate')], [401, 'Token realm="shop"']);
    for (const none of ['Basic t', 'Tokens t', 't', 'Token,t'])
      assert.equal((await ask(none)).status, 401, none);
    assert.equal((await new Visitor(app).get('/members')).header('www-authenticate'), 'Token realm="shop"');
  });

  it('need a scheme that is valid in a header, other than the password scheme', () => {
    for (const scheme of ['', 'To ken', 'Token\r\nX: y', 'Basic', 'BASIC', 'é'])
      assert.throws(() => accessToken({ handler: listedTokens({}), scheme }), {
        code: 'SECURITY_BAD_OPTION',
      });
  });
});

describe('HTTP basic and tokens', () => {
  it('authenticate each request, and answer failures with 401 and the scheme', async () => {
    const { app } = guardedBy(httpBasic());
    const visitor = new Visitor(app);
    assert.equal(
      (await visitor.get('/members', { headers: basic('reader:reader') })).body,
      '{"user":"reader"}',
    );
    assert.deepEqual([...visitor.cookies], []);
    for (const path of ['/members', '/no/such/page', '/']) {
      const wrong = await visitor.get(path, { headers: basic('reader:wrong') });
      assert.deepEqual([wrong.status, wrong.header('www-authenticate')?.split(' ')[0]], [401, 'Basic'], path);
    }
    const bearer = new Visitor(guardedBy(accessToken({ handler: listedTokens({ t: 'reader' }) })).app);
    const refused = await bearer.get('/members', { headers: { Authorization: 'Bearer x' } });
    assert.match(refused.header('www-authenticate') ?? '', /^Bearer realm="api", error="invalid_token"/);
    assert.equal((await bearer.get('/members')).header('www-authenticate'), 'Bearer realm="api"');
    assert.equal((await bearer.get('/members', { headers: { Authorization: 'Bearer t' } })).status, 200);
    assert.equal((await bearer.get('/members', { headers: { Authorization: 'Basic t' } })).status, 401);
  });

  it('opaque tokens reach the lookup only as a hash', async () => {
    const seen: string[] = [];
    const handler = opaqueTokens((tokenHash) => {
      seen.push(tokenHash);
      return tokenHash === hashToken('secret-token') ? { identifier: 'reader' } : undefined;
    });
    const { app } = guardedBy(accessToken({ handler, header: 'X-API-Key' }));
    assert.equal(
      (await new Visitor(app).get('/members', { headers: { 'X-API-Key': 'secret-token' } })).status,
      200,
    );
    assert.deepEqual(seen, [hashToken('secret-token')]);
  });
});

describe('login link', () => {
  it('logs in once, for a limited time, until the password changes', async () => {
    const links = createLoginLinks({ secret });
    const { app, users } = guardedBy(links.authenticator);
    const [first, second] = [links.create(reader), links.create(reader)];
    const visitor = new Visitor(app);
    const answer = await visitor.get(first);
    assert.deepEqual(
      [answer.status, answer.location, answer.header('referrer-policy')],
      [302, '/', 'no-referrer'],
    );
    assert.equal((await visitor.get('/members')).status, 200);
    assert.equal((await new Visitor(app).get(first)).location, '/login?error=expired', 'used');
    const { app: other } = guardedBy(
      createLoginLinks({ secret, failurePath: '/login?by=link' }).authenticator,
    );
    assert.equal(
      (await new Visitor(other).get(first.replace(/hash=.*/, 'hash=x'))).location,
      '/login?by=link&error=token',
    );
    users.put({ ...reader, passwordHash: 'another' });
    assert.equal((await new Visitor(app).get(second)).location, '/login?error=token');
    users.put(reader);
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 601_000 });
    try {
      assert.equal((await new Visitor(app).get(second)).location, '/login?error=expired', 'over');
    } finally {
      mock.timers.reset();
    }
  });

  it('counts simultaneous uses', async () => {
    const links = createLoginLinks({ secret, maxUses: 3 });
    const { app } = guardedBy(links.authenticator);
    const link = links.create(reader);
    const answers = await Promise.all(Array.from({ length: 8 }, () => new Visitor(app).get(link)));
    assert.equal(answers.filter(({ location }) => location === '/').length, 3);
  });

  it('is invalid if one letter was changed', async () => {
    const links = createLoginLinks({ secret });
    const { app } = guardedBy(links.authenticator);
    const link = links.create(reader);
    for (const changed of [
      link.replace('user=reader', 'user=admin'),
      link.replace(/expires=\d/, 'expires=9'),
      link.replace(/&id=./, '&id=.'),
      `${link}x`,
      link.replace(/hash=.*/, 'hash=x'),
    ]) {
      assert.match((await new Visitor(app).get(changed)).location ?? '', /^\/login\?error=(token|expired)$/);
    }
    assert.equal((await new Visitor(app).get(link)).location, '/', 'refused attempts do not use up the link');
  });
});
