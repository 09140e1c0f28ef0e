import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { type HttpRequest, HttpResponse, requestUser } from 'lookback';
import {
  createMemoryExpiringStore,
  createMemoryUserProvider,
  createSecurity,
  formLogin,
  httpBasic,
} from 'lookback/security';
import { admin, cheapHasher, createGuardedApp } from './guarded-app.js';
import { Visitor } from './visitor.js';

describe('firewall', () => {
  it('K7, K8: a protected prefix answers anonymous requests alike, whether or not there is a route', async () => {
    const stranger = new Visitor(createGuardedApp().app);
    for (const path of ['/admin', '/admin/users', '/admin/no/such/page', '/admin/', '/admin/users/']) {
      const answer = await stranger.get(path);
      assert.deepEqual([answer.status, answer.location], [302, '/login'], path);
    }
    assert.equal((await stranger.send('PATCH', '/admin/users')).status, 302);
    assert.equal((await stranger.get('/no/such/page')).status, 404);
    assert.equal((await stranger.get('/administrator')).status, 200);
  });

  it('K8: the user is known on the 404 page', async () => {
    const { app } = createGuardedApp();
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    const request = visitor.request('GET', '/no/such/page');
    assert.equal((await app.handle(request)).status, 404);
    assert.equal(request.scope.get(requestUser)?.()?.identifier, 'reader');
  });

  it('K7: is evaluated for unreadable requests too, and admits none of them', async () => {
    const { app } = createGuardedApp();
    for (const target of ['/admin/%zz', '/%00', '/admin%']) {
      const request = new Visitor(app).request('GET', target);
      assert.equal((await app.handle(request)).status, 400, target);
      const user = request.scope.get(requestUser);
      assert.equal(typeof user, 'function', `${target}: the firewall was evaluated`);
      assert.equal(user?.(), undefined);
    }
  });

  it('distinguishes 401, 403 and a redirect', async () => {
    const { app } = createGuardedApp();
    const stranger = new Visitor(app);
    assert.equal((await stranger.get('/members')).status, 302);
    const api = await stranger.get('/members', { headers: { Accept: 'application/json' } });
    assert.deepEqual([api.status, api.location], [401, undefined]);
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    assert.equal((await visitor.get('/members')).status, 200);
    assert.equal((await visitor.get('/admin')).status, 403);
    assert.equal((await visitor.get('/admin/no/such/page')).status, 403);
    await visitor.logIn('admin', 'admin');
    assert.equal((await visitor.get('/admin')).body, '{"user":"admin"}');
    assert.equal((await visitor.get('/admin/no/such/page')).status, 404);
  });

  it("answers an authenticated user without access with the application's function, or the 403 page", async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: (options.firewalls ?? []).map((firewall) => ({
        ...firewall,
        accessDenied: async ({ path }, error) =>
          path === '/admin' ? HttpResponse.text(error.message, { status: 404 }) : undefined,
      })),
    }));
    const visitor = new Visitor(app);
    assert.equal((await visitor.get('/admin')).location, '/login', 'a stranger');
    await visitor.logIn('reader', 'reader');
    const denied = await visitor.get('/admin');
    assert.equal(denied.status, 404);
    assert.match(denied.body, /^Needs ROLE_ADMIN by access rule 1/);
    assert.equal((await visitor.get('/admin/users')).status, 403);
  });

  it('answers 401 if no one can be asked to log in, and names the scheme if there is one', async () => {
    const bare = createGuardedApp((options) => ({ ...options, firewalls: [{ name: 'main' }] }));
    const answer = await new Visitor(bare.app).get('/admin');
    assert.deepEqual([answer.status, answer.header('www-authenticate')], [401, undefined]);
    const basic = createGuardedApp((options) => ({
      ...options,
      firewalls: [{ name: 'main', authenticators: [httpBasic({ realm: 'The "vault"' })] }],
    }));
    const asked = await new Visitor(basic.app).get('/admin');
    assert.equal(asked.status, 401);
    assert.equal(asked.header('www-authenticate'), 'Basic realm="The \\"vault\\"", charset="UTF-8"');
  });

  it('takes the first matching firewall: by path, host, method, address or a function', async () => {
    const names = ['path', 'host', 'methods', 'ips', 'when', 'rest'];
    const seen: string[] = [];
    const record = createGuardedApp((options) => ({
      ...options,
      accessControl: [],
      firewalls: names.map((name) => ({ name, ...conditions[name] })),
    }));
    const listen = (facts: unknown): void => void seen.push((facts as { firewall: string }).firewall);
    channel('lookback:security:authentication').subscribe(listen);
    try {
      await new Visitor(record.app).get('/a/b');
      await new Visitor(record.app).get('/b12');
      await new Visitor(record.app).get('/b12'); // a regular expression with the g flag must not remember its first match
      await new Visitor(record.app, { host: 'api.example.org' }).get('/x');
      await new Visitor(record.app).post('/x');
      await new Visitor(record.app, { address: '::ffff:10.1.2.3' }).get('/x');
      await new Visitor(record.app).get('/x', { headers: { 'X-When': '1' } });
      await new Visitor(record.app).get('/ab');
    } finally {
      channel('lookback:security:authentication').unsubscribe(listen);
    }
    assert.deepEqual(seen, ['path', 'path', 'path', 'host', 'methods', 'ips', 'when', 'rest']);
  });

  it('admits everyone if security is off, or if no firewall matches', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: [
        { name: 'off', path: '/admin', security: false },
        { name: 'members', path: '/members' },
      ],
      accessControl: [{ path: ['/admin', '/vault', '/members'], allow: 'IS_AUTHENTICATED' }],
    }));
    assert.equal((await new Visitor(app).get('/admin')).status, 200);
    assert.equal((await new Visitor(app).get('/vault')).status, 200);
    assert.equal((await new Visitor(app).get('/members')).status, 401);
  });

  it('requires a login whatever headers, queries or cookies an anonymous request has', async () => {
    const stranger = new Visitor(createGuardedApp().app);
    const tricks: Record<string, string>[] = [
      { 'X-HTTP-Method-Override': 'DELETE' },
      { 'X-Original-URL': '/' },
      { 'X-Rewrite-URL': '/' },
      { 'X-Forwarded-Host': 'trusted' },
      { 'X-Forwarded-For': '127.0.0.1' },
      { 'X-Forwarded-Prefix': '/admin' },
      { 'X-Middleware-Subrequest': 'firewall' },
      { 'X-Remote-User': 'admin' },
      { 'Remote-User': 'admin' },
      { 'X-SSL-Client-Verify': 'SUCCESS', 'X-SSL-Client-S-DN': 'CN=admin' },
      { Cookie: 'session=admin; remember_me=admin.9999999999.x' },
      { Authorization: 'Basic YWRtaW46YWRtaW4=' },
    ];
    for (const headers of tricks) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const { status } = await stranger.send(method, '/admin/users', { headers });
        assert.ok([302, 401].includes(status), `${method} ${JSON.stringify(headers)} ${status}`);
      }
    }
    for (const query of ['?_switch_user=admin', '?APP_DEBUG=1', '?user=admin', '?access_token=x']) {
      assert.equal((await stranger.get(`/admin${query}`)).status, 302, query);
    }
  });

  it('applies rules for GET to HEAD', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      accessControl: [{ path: '/admin', methods: ['GET'], allow: 'ROLE_ADMIN' }],
    }));
    const stranger = new Visitor(app);
    assert.equal((await stranger.send('HEAD', '/admin/users')).status, 302);
    assert.equal((await stranger.get('/admin/users')).status, 302);
    assert.equal((await stranger.post('/admin/users')).status, 200);
  });

  it('takes the first matching rule', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      accessControl: [
        { path: '/admin/users', route: 'users', allow: 'PUBLIC_ACCESS' },
        { path: '/admin', ips: ['192.0.2.0/24'], allow: 'PUBLIC_ACCESS' },
        { path: '/admin', allow: ['ROLE_NONE', ({ request }) => request.headers.has('x-friend')] },
      ],
    }));
    assert.equal((await new Visitor(app).get('/admin/users')).status, 200);
    assert.equal((await new Visitor(app).get('/admin')).status, 302);
    assert.equal((await new Visitor(app, { address: '192.0.2.7' }).get('/admin')).status, 200);
    assert.equal((await new Visitor(app).get('/admin', { headers: { 'X-Friend': '1' } })).status, 200);
  });

  it('redirects to HTTPS if a rule requires it', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      accessControl: [{ path: '/admin', scheme: 'https', allow: 'PUBLIC_ACCESS' }],
    }));
    const plain = await new Visitor(app, { host: 'localhost' }).get('/admin?x=1');
    assert.deepEqual([plain.status, plain.location], [301, 'https://localhost/admin?x=1']);
    for (const [method, status] of [
      ['HEAD', 301],
      ['POST', 308],
    ] as const) {
      // prettier-ignore
      const answer = await app.fetch('http://localhost/admin', { method });
      assert.equal(answer.status, status, method);
    }
    const odd = await new Visitor(app, { host: 'localhost' }).get('/admin/\\a?x=\\');
    assert.deepEqual([odd.status, odd.location], [301, 'https://localhost/admin/%5Ca?x=%5C']);
    assert.equal((await new Visitor(app, { encrypted: true, host: 'localhost' }).get('/admin')).status, 200);
  });

  it('reports contradictory configuration at startup', () => {
    const users = createMemoryUserProvider([admin]);
    const two = [formLogin(), httpBasic()];
    const cases: [string, Parameters<typeof createSecurity>[0]][] = [
      ['SECURITY_WEAK_SECRET', { secret: 'short' }],
      ['SECURITY_NO_PROVIDER', { firewalls: [{ name: 'a', authenticators: [httpBasic()] }] }],
      ['SECURITY_ENTRY_POINT', { provider: users, firewalls: [{ name: 'a', authenticators: two }] }],
      ['SECURITY_BAD_OPTION', { provider: users, firewalls: [{ name: 'a', entryPoint: 'x' }] }],
      ['SECURITY_BAD_OPTION', { firewalls: [{ name: 'a' }, { name: 'a' }] }],
      ['SECURITY_NO_SESSIONS', { sessions: false, firewalls: [{ name: 'a', stateless: false }] }],
      [
        'SECURITY_SECRET_MISSING',
        {
          provider: users,
          firewalls: [
            { name: 'a', rememberMe: { store: { ...createMemoryExpiringStore(), name: 'redis' } } },
          ],
        },
      ],
      ['SECURITY_NEVER_APPLIES', { accessControl: [{ allow: 'X' }, { path: '/admin', allow: 'Y' }] }],
      ['SECURITY_NEVER_APPLIES', { firewalls: [{ name: 'a' }, { name: 'b', path: '/b' }] }],
      ['SECURITY_BAD_OPTION', { accessControl: [{ path: 'admin', allow: 'X' }] }],
      ['SECURITY_BAD_OPTION', { accessControl: [{ path: '/admin/*', allow: 'X' }] }],
      ['SECURITY_BAD_OPTION', { accessControl: [{ ips: ['10.0.0.0/33'], allow: 'X' }] }],
    ];
    for (const [code, options] of cases) assert.throws(() => createSecurity(options), { code });
    const named = {
      provider: users,
      firewalls: [{ name: 'a', authenticators: two, entryPoint: 'http-basic' }],
    };
    assert.equal(createSecurity({ ...named, hashers: [cheapHasher] }).name, 'security');
  });
});

const conditions: Record<string, object> = {
  path: { path: ['/a', /^\/b\d+$/g] },
  host: { host: 'API.example.org' },
  methods: { methods: ['post'] },
  ips: { ips: ['10.0.0.0/8'] },
  when: { when: ({ headers }: HttpRequest) => headers.has('x-when') },
};
