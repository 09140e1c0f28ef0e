import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLoginLinks, createOAuthLogin, formLogin, httpBasic, jsonLogin } from 'lookback/security';
import { createGuardedApp, reader, secret, type Guarded } from './guarded-app.js';
import { client } from './start-identity-provider.js';
import { type Answer, type Visit, Visitor } from './visitor.js';

const links = createLoginLinks({ origin: 'http://localhost:8000', secret });
const oauth = createOAuthLogin({
  name: 'idp',
  server: 'http://127.0.0.1:9', // never called: the requests in these tests are refused before
  ...client,
  secret,
  findUser: () => undefined,
});

const createShop = (): Guarded =>
  createGuardedApp((options) => ({
    ...options,
    firewalls: [
      {
        name: 'main',
        authenticators: [
          formLogin({ checkPath: '/login/form' }),
          jsonLogin({ path: '/login/json' }),
          links.authenticator,
          oauth.authenticator,
        ],
        entryPoint: 'form-login',
        rememberMe: true,
      },
    ],
  }));

/** Asserts a problem document without a redirect. */
function assertProblem(answer: Answer, status: number, code?: string): void {
  assert.deepEqual([answer.status, answer.location], [status, undefined]);
  assert.match(answer.header('content-type') ?? '', /^application\/problem\+json/);
  const problem = JSON.parse(answer.body) as { status: number; code?: string }; // a problem document
  assert.deepEqual([problem.status, problem.code], [status, code]);
}

const kinds: readonly (readonly [name: string, headers: Readonly<Record<string, string>>])[] = [
  ['accepts JSON', { Accept: 'application/json' }],
  ['accepts JSON before anything else', { Accept: 'application/json, text/plain, */*' }],
  ['accepts problem documents', { Accept: 'application/problem+json' }],
  ['prefers JSON to HTML', { Accept: 'text/html;q=0.5, application/json' }],
];

describe('logins of a client that wants JSON', () => {
  for (const [kind, headers] of kinds)
    it(`with ${kind} fail in JSON, without a redirect`, async () => {
      const { app } = createShop();
      const ask = (method: string, target: string, visit: Visit = {}): Promise<Answer> =>
        new Visitor(app).send(method, target, { ...visit, headers });
      const wrong = { _username: 'reader', _password: 'wrong' };
      assertProblem(await ask('POST', '/login/form', { form: wrong }), 401, 'credentials');
      assertProblem(await ask('POST', '/login/form', { form: { _username: 'reader' } }), 400, 'malformed');
      assertProblem(await ask('POST', '/login/form', { json: wrong }), 400, 'malformed');
      assertProblem(await ask('POST', '/login/form'), 400, 'malformed');
      assertProblem(await ask('POST', '/login/form', { form: wrong, site: 'cross-site' }), 403, 'csrf');
      const other = { username: 'reader', password: 'wrong' };
      assertProblem(await ask('POST', '/login/json', { json: other }), 401, 'credentials');
      assertProblem(await ask('POST', '/login/json', { json: { username: 'reader' } }), 400, 'malformed');
      assertProblem(await ask('GET', '/login/link?hash=x'), 400, 'malformed');
      const spoilt = `${new URL(links.create(reader)).pathname}${new URL(links.create(reader)).search}x`;
      assertProblem(await ask('GET', spoilt), 401, 'token');
      assertProblem(await ask('GET', '/login/idp/callback?state=abc&code=x'), 401, 'state');
    });

  it('return the user', async () => {
    const { app } = createShop();
    const headers = { Accept: 'application/json' };
    const user = { user: { identifier: 'reader', roles: ['ROLE_READER'] } };
    const form = { _username: 'reader', _password: 'reader' };
    const link = new URL(links.create(reader));
    for (const log of [
      (visitor: Visitor) => visitor.post('/login/form', { form, headers }),
      (visitor: Visitor) =>
        visitor.post('/login/json', { json: { username: 'reader', password: 'reader' }, headers }),
      (visitor: Visitor) => visitor.get(`${link.pathname}${link.search}`, { headers }),
    ]) {
      const visitor = new Visitor(app);
      const answer = await log(visitor);
      assert.deepEqual([answer.status, answer.location, JSON.parse(answer.body)], [200, undefined, user]);
      assert.equal((await visitor.get('/members', { headers })).body, '{"user":"reader"}');
    }
  });

  it('return 429 after too many attempts, and when to try again', async () => {
    const { app } = createShop();
    const headers = { Accept: 'application/json' };
    const form = { _username: 'reader', _password: 'wrong' };
    const visitor = new Visitor(app);
    for (let count = 0; count < 5; count++)
      assertProblem(await visitor.post('/login/form', { form, headers }), 401, 'credentials');
    const throttled = await visitor.post('/login/form', { form, headers });
    assertProblem(throttled, 429, 'throttled');
    assert.match(throttled.header('retry-after') ?? '', /^\d+$/);
  });

  it('are requested with 401 from an anonymous visitor, and from a remembered user where a full login is required', async () => {
    const { app } = createShop();
    const headers = { Accept: 'application/json' };
    const visitor = new Visitor(app);
    assertProblem(await visitor.get('/members', { headers }), 401);
    await visitor.post('/login/form', {
      form: { _username: 'reader', _password: 'reader', _remember_me: 'on' },
    });
    visitor.cookies.delete('session');
    assert.equal((await visitor.get('/members', { headers })).status, 200);
    assertProblem(await visitor.get('/vault', { headers }), 401);
  });

  it('have the same response format as others: Basic answers in JSON', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: [{ name: 'api', authenticators: [httpBasic()] }],
    }));
    const answer = await new Visitor(app).get('/members', {
      headers: { Accept: 'application/json', Authorization: 'Basic !' },
    });
    assertProblem(answer, 401);
    assert.match(answer.header('www-authenticate') ?? '', /^Basic /);
  });
});

describe('logins of a browser', () => {
  it('redirect as usual, whatever else is accepted in addition to HTML', async () => {
    const { app } = createShop();
    const wrong = { _username: 'reader', _password: 'wrong' };
    for (const headers of [
      { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
      { Accept: '*/*' },
      { Accept: 'text/html, application/json' },
      { Accept: 'application/json', 'Sec-Fetch-Mode': 'navigate' },
    ]) {
      const failed = await new Visitor(app).post('/login/form', { form: wrong, headers });
      assert.deepEqual([failed.status, failed.location], [302, '/login?error=credentials']);
    }
  });
});

describe('a JSON login over a socket', () => {
  const { app } = createGuardedApp(undefined, [], {
    env: 'test',
    debug: false,
    profilerStore: 'off',
    port: 0,
  });
  let url = '';
  before(async () => {
    url = (await app.listen()).url;
  });
  after(() => app.close());

  it('at a form login is a 400 in JSON', async () => {
    for (const ask of [
      (init: RequestInit) => fetch(`${url}/login`, init),
      (init: RequestInit) => app.fetch(`${url}/login`, init),
    ]) {
      const response = await ask({
        method: 'POST',
        redirect: 'manual',
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: '{"username": "reader", "password": "reader"}',
      });
      assert.equal(response.status, 400);
      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.equal(((await response.json()) as { code: string }).code, 'malformed');
    }
  });
});
