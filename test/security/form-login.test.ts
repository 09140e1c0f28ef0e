import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cheapHasher, createGuardedApp, reader } from './guarded-app.js';
import { Visitor } from './visitor.js';
import { httpBasic } from 'lookback/security';

const sessionId = (visitor: Visitor): string | undefined => visitor.cookies.get('session');

describe('form login', () => {
  it('logs in, redirects to the originally requested page, and forgets it', async () => {
    const visitor = new Visitor(createGuardedApp().app);
    const asked = await visitor.get('/members?page=2&q=%C3%A4');
    assert.equal(asked.location, '/login');
    const answer = await visitor.logIn('reader', 'reader');
    assert.deepEqual([answer.status, answer.location], [302, '/members?page=2&q=%C3%A4']);
    assert.equal((await visitor.get('/members?page=2')).body, '{"user":"reader"}');
    assert.equal((await visitor.logIn('reader', 'reader')).location, '/');
  });

  it('refuses names with control characters or unpaired surrogates, without querying a database', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      provider: { name: 'picky', findUser: () => assert.fail('the provider was queried') },
    }));
    for (const name of ['reader\u0000', '\u0000', 'rea\nder', 'reader\u0085'])
      assert.equal((await new Visitor(app).logIn(name, 'reader')).location, '/login?error=malformed');
  });

  it('asks the provider once per login, and again only if the password hash was renewed', async () => {
    const asked: string[] = [];
    const { app, users } = createGuardedApp((options, provider) => ({
      ...options,
      hashers: [{ ...cheapHasher, isOutdated: (hash) => hash === reader.passwordHash }],
      provider: {
        ...provider,
        findUser: (identifier) => {
          asked.push(identifier);
          return provider.findUser(identifier);
        },
      },
    }));
    for (const times of [2, 1]) {
      const visitor = new Visitor(app);
      asked.length = 0;
      await visitor.logIn('reader', 'reader');
      assert.equal(asked.length, times);
      assert.equal((await visitor.get('/members')).body, '{"user":"reader"}');
    }
    assert.notEqual((await users.findUser('reader'))?.passwordHash, reader.passwordHash);
  });

  it('gives the same response to a wrong password and an unknown user, and admits neither', async () => {
    const visitor = new Visitor(createGuardedApp().app);
    for (const [name, password] of [
      ['reader', 'wrong'],
      ['nobody', 'reader'],
      ['READER', 'reader'],
      ['reader ', 'reader'],
      ['__proto__', 'x'],
    ] as const) {
      const answer = await visitor.logIn(name, password);
      assert.deepEqual([answer.status, answer.location], [302, '/login?error=credentials'], name);
      assert.equal(sessionId(visitor), undefined);
    }
    assert.equal((await visitor.logIn('reader', '')).location, '/login?error=malformed');
    assert.equal((await visitor.post('/login')).location, '/login?error=malformed');
    assert.equal(
      (await visitor.post('/login', { json: { _username: 'reader' } })).location,
      '/login?error=malformed',
    );
  });

  it('refuses a disabled user, with the message for a wrong password', async () => {
    const { app, users } = createGuardedApp();
    users.put({ ...reader, isEnabled: false });
    const visitor = new Visitor(app);
    const refused = await visitor.logIn('reader', 'reader');
    assert.equal(refused.location, '/login?error=disabled');
    assert.equal((await visitor.get('/members')).status, 302);
    const wordsFor = async (password: string): Promise<string> => {
      const form = { _username: 'reader', _password: password };
      const answer = await new Visitor(app).post('/login', { form, headers: { Accept: 'application/json' } });
      assert.equal(answer.status, 401);
      return (JSON.parse(answer.body) as { detail: string }).detail; // a problem document
    };
    assert.equal(await wordsFor('reader'), 'Invalid credentials.');
    assert.equal(await wordsFor('wrong'), 'Invalid credentials.');
    assert.equal((await visitor.logIn('reader', 'wrong')).location, '/login?error=credentials');
  });

  it('never redirects to another site, whatever is in the field, the cookie or the URL', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: (options.firewalls ?? []).map((firewall) => ({ ...firewall, throttle: false })),
    }));
    const hostile = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/a\\b?c',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '\t//evil.example',
      ' //evil.example',
      'javascript:alert(1)',
      'evil.example',
      'http:evil.example',
      '///evil.example',
      '/\u0000/evil.example',
      '/\u2028/evil.example',
      `/${'a'.repeat(5000)}`,
      '',
    ];
    for (const target of hostile) {
      const byField = new Visitor(app);
      assert.equal((await byField.logIn('reader', 'reader', { _target_path: target })).location, '/', target);
      const byCookie = new Visitor(app);
      byCookie.cookies.set('login_target', encodeURIComponent(target));
      assert.equal((await byCookie.logIn('reader', 'reader')).location, '/', target);
    }
    const byUrl = new Visitor(app);
    await byUrl.get('//evil.example/..;/members');
    assert.equal((await byUrl.logIn('reader', 'reader')).location, '/');
    const harmless = await new Visitor(app).logIn('reader', 'reader', {
      _target_path: '/a?next=//evil.example',
    });
    assert.equal(harmless.location, '/a?next=//evil.example');
    const windows = new Visitor(app);
    await windows.get('/members?file=C:\\x');
    assert.equal((await windows.logIn('reader', 'reader')).location, '/members?file=C:%5Cx');
  });

  it('gives the session a new id at login: a planted one is worthless', async () => {
    const guarded = createGuardedApp();
    const attacker = new Visitor(guarded.app);
    const request = attacker.request('GET', '/');
    (await guarded.security.session(request)).set('seen', true);
    const started = await guarded.app.handle(request);
    const planted = /^session=([^;]+)/.exec(started.headers.get('set-cookie') ?? '')?.[1] ?? '';
    assert.notEqual(planted, '');
    attacker.cookies.set('session', planted);
    const victim = new Visitor(guarded.app);
    victim.cookies.set('session', planted);
    await victim.logIn('reader', 'reader');
    assert.notEqual(sessionId(victim), planted);
    assert.equal((await victim.get('/members')).status, 200);
    assert.equal((await attacker.get('/members')).status, 302);
  });

  it('refuses logins from another site, with or without cookies', async () => {
    const visitor = new Visitor(createGuardedApp().app);
    const form = { _username: 'reader', _password: 'reader' };
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://localhost:8001' },
      { Origin: 'https://localhost:8000' },
      { Origin: '' },
    ];
    for (const headers of foreign) {
      const answer = await visitor.post('/login', { form, headers, site: undefined });
      assert.equal(answer.location, '/login?error=csrf', JSON.stringify(headers));
    }
    const own = await visitor.post('/login', {
      form,
      headers: { Origin: 'http://localhost:8000' },
      site: undefined,
    });
    assert.equal(own.location, '/', 'cross-site posts do not count as attempts');
  });

  it('throttles guessing by user and address, and by address, but not for others', async () => {
    const { app } = createGuardedApp();
    const guesser = new Visitor(app, { address: '198.51.100.1' });
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => guesser.logIn('reader', `guess ${n}`)),
    );
    const locations = guesses.map(({ location }) => location);
    assert.equal(locations.filter((location) => location === '/login?error=credentials').length, 5);
    assert.equal(locations.filter((location) => location === '/login?error=throttled').length, 3);
    assert.equal((await guesser.logIn('reader', 'reader')).location, '/login?error=throttled');
    assert.equal((await guesser.logIn('Reader', 'reader')).location, '/login?error=throttled');
    const mapped = new Visitor(app, { address: '::ffff:198.51.100.1' });
    assert.equal((await mapped.logIn('reader', 'reader')).location, '/login?error=throttled');
    assert.equal((await guesser.logIn('admin', 'admin')).location, '/');
    assert.equal(
      (await new Visitor(app, { address: '198.51.100.2' }).logIn('reader', 'reader')).location,
      '/',
    );

    const sprayer = new Visitor(app, { address: '2001:db8::1' });
    for (let n = 0; n < 25; n++) await sprayer.logIn(`user ${n}`, 'password');
    const neighbour = new Visitor(app, { address: '2001:db8:0:0:ffff::2' }); // the same /64
    assert.equal((await neighbour.logIn('reader', 'reader')).location, '/login?error=throttled');
  });

  it('does not count simultaneous correct passwords as guesses', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: [{ name: 'main', authenticators: [httpBasic()] }],
    }));
    const headers = { Authorization: `Basic ${btoa('reader:reader')}` };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => new Visitor(app).get('/members', { headers })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });

  it('does not count a successful login as a guess', async () => {
    const visitor = new Visitor(createGuardedApp().app);
    for (let n = 0; n < 30; n++) assert.equal((await visitor.logIn('reader', 'reader')).location, '/');
  });

  it('stores a stronger hash at login, and keeps the session and the remember-me cookie', async () => {
    const { hash: _, ...older } = cheapHasher;
    const { app, users } = createGuardedApp((options) => ({ ...options, hashers: [older] }));
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader', { _remember_me: 'on' });
    const stored = await users.findUser('reader');
    assert.ok(stored?.passwordHash?.startsWith('$argon2id$'));
    assert.equal((await visitor.get('/members')).status, 200);
    visitor.cookies.delete('session');
    assert.equal((await visitor.get('/members')).status, 200);
    assert.equal((await new Visitor(app).logIn('reader', 'reader')).location, '/');
  });
});
