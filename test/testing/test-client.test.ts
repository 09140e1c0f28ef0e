import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate, type App, type AppOptions, createApp, HttpResponse } from 'lookback';
import { createMemoryUserProvider, createSecurity, formLogin, isGranted } from 'lookback/security';
import { createTestClient } from 'lookback/testing';

function makeApp(options: AppOptions = {}): App {
  const provider = createMemoryUserProvider([
    { identifier: 'ada', roles: ['ROLE_ADMIN'] },
    { identifier: 'ben', roles: [] },
    { identifier: 'gone', roles: [], isEnabled: false },
  ]);
  const security = createSecurity({
    provider,
    firewalls: [
      { name: 'api', path: '/api', stateless: true, authenticators: [] },
      { name: 'main', authenticators: [formLogin()] },
    ],
    accessControl: [{ path: '/members', allow: 'IS_AUTHENTICATED_FULLY' }],
  });
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    security,
    ...options,
  });
  app.get('/members', ({ user }) => ({ user: user?.identifier }));
  app.get('/api/me', ({ user }) => ({ user: user?.identifier ?? null, roles: user?.roles ?? [] }));
  app.any(
    '/admin',
    annotate(() => ({ admin: true }), isGranted.of('ROLE_ADMIN')),
  );
  app.post('/echo', async ({ request }) =>
    HttpResponse.json(
      { type: request.headers.get('content-type'), body: await request.text() },
      { status: 201 },
    ),
  );
  app.get('/headers', ({ request, query }) => ({
    cookie: request.headers.get('cookie') ?? null,
    team: request.headers.get('x-team') ?? null,
    page: query.get('page'),
  }));
  app.get('/cookies/{what}', ({ params }) => {
    const response = HttpResponse.text('ok');
    if (params.what === 'set') response.setCookie('theme', 'dark', { path: '/' });
    else response.headers.append('Set-Cookie', 'theme=; Path=/; Max-Age=0');
    return response;
  });
  app.get('/fails', ({ log }) => {
    log.warning('The stock is low.', { items: 2 });
    throw new Error('The shelf fell down.');
  });
  return app;
}

describe('the test client', () => {
  it('sends headers, query, JSON and forms, and reads responses', async () => {
    const client = createTestClient(makeApp(), { headers: { 'X-Team': 'blue' } });
    await client
      .get('/headers', { query: { page: 2 } })
      .expectStatus(200)
      .expectJson({ cookie: null, team: 'blue', page: '2' });
    await client
      .post('/echo', { json: { a: 1 } })
      .expectStatus(201)
      .expectJson({ type: 'application/json', body: '{"a":1}' });
    await client
      .post('/echo', { form: { a: '1 & 2' } })
      .expectJson({ type: 'application/x-www-form-urlencoded;charset=UTF-8', body: 'a=1+%26+2' });
    const response = await client
      .get('/headers', { headers: { 'X-Team': 'red' } })
      .expectHeader('content-type', /json/);
    assert.equal(response.json<{ team: string }>().team, 'red');
  });

  it('keeps cookies, and forgets those that the application removes', async () => {
    const client = createTestClient(makeApp());
    await client.get('/cookies/set');
    assert.equal(client.cookies.get('theme'), 'dark');
    await client.get('/headers').expectJson({ cookie: 'theme=dark', team: null, page: null });
    await client.get('/cookies/unset');
    await client.get('/headers').expectJson({ cookie: null, team: null, page: null });
  });

  it('acts as a user without a login, under every firewall rule', async () => {
    const app = makeApp();
    const stranger = createTestClient(app);
    const [ada, ben] = [
      stranger.actingAs('ada'),
      stranger.actingAs({ identifier: 'ben', roles: ['ROLE_ADMIN'] }),
    ];
    await stranger.get('/members').expectStatus(401); // no Accept: a script, which cannot use a login form
    await stranger.get('/members', { headers: { accept: 'text/html' } }).expectStatus(302);
    await ada.get('/members').expectStatus(200).expectJson({ user: 'ada' });
    await ada.get('/api/me').expectJson({ user: 'ada', roles: ['ROLE_ADMIN'] });
    await ada.post('/admin', { json: {} }).expectStatus(200);
    await ben.get('/members').expectJson({ user: 'ben' });
    await ben.get('/admin').expectStatus(403); // the provider knows ben, and his roles
    await stranger
      .actingAs({ identifier: 'eve', roles: ['ROLE_ADMIN'] })
      .get('/admin')
      .expectStatus(200);
    const record = await (await ada.get('/members')).record();
    assert.equal(record?.request.user, 'ada');
    await stranger.get('/api/me').expectJson({ user: null, roles: [] });
  });

  it('keeps two simultaneous users apart', async () => {
    const client = createTestClient(makeApp());
    const names = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'ada' : 'ben'));
    const answers = await Promise.all(
      names.map(async (name) => (await client.actingAs(name).get('/api/me')).json()),
    );
    assert.deepEqual(
      answers.map((answer) => (answer as { user: string }).user), // as returned by the route
      names,
    );
  });

  it('fails with an error for an unknown user', async () => {
    const response = await createTestClient(makeApp()).actingAs('nobody').get('/members').expectStatus(500);
    assert.match(response.text, /SECURITY_ACTING_USER_UNKNOWN/);
  });

  it('never acts as a user because of request content', async () => {
    const app = makeApp();
    await createTestClient(app).actingAs('ada').get('/members');
    const response = await app.fetch('/api/me', {
      headers: { 'X-Acting-User': 'ada', Cookie: 'acting=ada' },
    });
    assert.deepEqual(await response.json(), { user: null, roles: [] });
  });

  it('is refused in production', () => {
    const app = makeApp({ configuration: { env: 'prod', debug: false, profilerStore: 'off' } });
    assert.throws(() => createTestClient(app), { code: 'TESTING_IN_PRODUCTION' });
  });

  it('adds the record of the request to a failed expectation', async () => {
    const client = createTestClient(makeApp());
    const failed = async (): Promise<unknown> => client.get('/fails').expectStatus(200);
    await assert.rejects(failed, (error: Error) => {
      for (const text of [error.message, error.stack ?? '']) {
        assert.match(text, /Status 500, expected 200/);
        assert.match(text, /# 500 GET \S*\/fails/);
        assert.match(text, /The shelf fell down\./);
        assert.match(text, /test-client\.test/, 'the place');
        assert.match(text, /The stock is low\./);
        assert.ok(text.length < 8000, `${text.length} characters`);
      }
      return error instanceof assert.AssertionError && error.actual === 500;
    });
    await assert.rejects(
      async () => client.post('/echo', { json: { password: 'hunter2', a: 1 } }).expectStatus(200),
      (error: Error) => /# 201 POST \S*\/echo/.test(error.message) && !error.message.includes('hunter2'),
    );
    await assert.rejects(
      async () => client.get('/headers').expect(() => assert.fail('Own words.')),
      /Own words\.[\s\S]*# 200 GET \S*\/headers/,
    );
    await assert.rejects(
      async () => client.get('/headers').expectHeader('x-none', 'a'),
      /x-none: \(absent\)[\s\S]*# 200 GET/,
    );
  });

  it('reports only the assertion if nothing is recorded', async () => {
    const client = createTestClient(
      makeApp({ configuration: { env: 'test', debug: false, profilerStore: 'off' } }),
    );
    await assert.rejects(
      async () => client.get('/headers').expectStatus(201),
      (error: Error) =>
        error.message.startsWith('Status 200, expected 201') && !error.message.includes('GET'),
    );
  });

  it('has the record of each request, even if its headers hide debug output from the client', async () => {
    const app = makeApp();
    app.get('/stream', () => new Response(new ReadableStream({ start: (stream) => stream.close() })));
    app.get('/named', () => HttpResponse.text('ok', { headers: { 'X-Debug-Token': 'ffffff' } }));
    const client = createTestClient(app);
    for (const headers of [
      {},
      { Origin: 'https://shop.example' },
      { Referer: 'https://shop.example/', 'Sec-Fetch-Site': 'same-origin' },
      { 'X-Forwarded-For': '203.0.113.9' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Via: '1.1 x' },
      { Host: 'shop.example' },
      { Host: 'a b' },
      { Forwarded: 'for=unknown' },
    ] as readonly Readonly<Record<string, string>>[])
      for (const path of ['/headers', '/stream', '/named', '/nothing']) {
        const response = await client.get(path, { headers });
        const where = `${path} ${JSON.stringify(headers)}`;
        assert.equal((await response.record())?.request.path, path, where);
        assert.match((await response.describe()) ?? '', /^# /, where);
      }
    const elsewhere = createTestClient(app, { origin: 'https://shop.example' });
    await assert.rejects(
      async () => elsewhere.get('/fails').expectStatus(200),
      (error: Error) => error.message.includes('Untrusted Host "shop.example"'),
    );
    await app.close();
  });

  it('has the records of an application without debug output', async () => {
    const app = makeApp({ configuration: { env: 'test', debug: false, profilerStore: 'memory:' } });
    const response = await createTestClient(app).get('/headers');
    assert.equal(response.headers.get('x-debug-token'), null);
    assert.equal((await response.record())?.response?.status, 200);
    await app.close();
  });
});
