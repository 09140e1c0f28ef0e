import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createMemoryExpiringStore } from 'lookback/security';
import { createGuardedApp, reader, type Guarded } from './guarded-app.js';
import { Visitor } from './visitor.js';
import { withClock } from './with-clock.js';

interface Remembered extends Guarded {
  readonly visitor: Visitor;
  readonly cookie: () => string;
}

/** A reader who ticked the remember-me box, and whose session has ended. */
async function rememberedReader(options: object = {}, https = false): Promise<Remembered> {
  const guarded = createGuardedApp((given) => ({
    ...given,
    firewalls: (given.firewalls ?? []).map((firewall) => ({ ...firewall, rememberMe: options })),
  }));
  const visitor = new Visitor(guarded.app, { encrypted: https });
  await visitor.logIn('reader', 'reader', { _remember_me: 'on' });
  visitor.cookies.delete('session');
  visitor.cookies.delete('__Host-session');
  return { ...guarded, visitor, cookie: () => visitor.cookies.get('remember_me') ?? '' };
}

describe('remember-me', () => {
  it('restores the user of each page while a store that cannot be written keeps no session', async () => {
    const memory = createMemoryExpiringStore();
    let isReadOnly = false;
    const store = {
      ...memory,
      put(...given: Parameters<typeof memory.put>) {
        if (isReadOnly) throw new Error('READONLY You cannot write against a read only replica.');
        return memory.put(...given);
      },
    };
    const { app } = createGuardedApp((given) => ({
      ...given,
      sessions: { store },
      firewalls: (given.firewalls ?? []).map((firewall) => ({ ...firewall, rememberMe: { store: memory } })),
    }));
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader', { _remember_me: 'on' });
    visitor.cookies.delete('session');
    isReadOnly = true;
    const members = await visitor.get('/members');
    assert.deepEqual([members.status, members.body], [200, '{"user":"reader"}']);
    assert.equal((await visitor.get('/nowhere')).status, 404);
    assert.equal(visitor.cookies.get('session'), undefined);
    isReadOnly = false;
    assert.equal((await visitor.get('/members')).status, 200);
    assert.notEqual(visitor.cookies.get('session'), undefined);
    isReadOnly = true;
    assert.equal((await visitor.logIn('reader', 'reader')).status, 503, 'a login needs the session');
  });

  it('lasts from one second to a hundred years; other lifetimes are refused', async () => {
    for (const lifetimeSeconds of [1, 3_155_760_000]) {
      const { cookie } = await rememberedReader({ lifetimeSeconds });
      assert.notEqual(cookie(), '', String(lifetimeSeconds));
    }
    for (const lifetimeSeconds of [0.5, 3_155_760_001, Infinity, Number.NaN])
      await assert.rejects(rememberedReader({ lifetimeSeconds }), { code: 'OPTIONS_BAD_VALUE' });
  });

  it('K11: restores the user when the session has ended, as a remembered user', async () => {
    const { visitor } = await rememberedReader();
    assert.equal((await visitor.get('/members')).body, '{"user":"reader"}');
    assert.notEqual(visitor.cookies.get('session'), undefined);
    const vault = await visitor.get('/vault');
    assert.deepEqual([vault.status, vault.location], [302, '/login'], 'a full login is required');
    assert.equal((await visitor.get('/admin')).status, 403, 'a missing role does not require a new login');
    assert.equal((await visitor.logIn('reader', 'reader')).location, '/vault');
    assert.equal((await visitor.get('/vault')).status, 200);
  });

  it('remembers no one who did not ask for it, and forgets users who log in without it', async () => {
    const { app, visitor, cookie } = await rememberedReader();
    const other = new Visitor(app);
    const login = await other.logIn('reader', 'reader');
    assert.ok(!login.setCookies.some((set) => set.startsWith('remember_me')));
    assert.notEqual(cookie(), '');
    await visitor.logIn('reader', 'reader');
    assert.equal(cookie(), '');
  });

  it('ends when the user or the password changes, and does not come back', async () => {
    for (const change of [
      ({ users }: Guarded) => users.remove('reader'),
      ({ users }: Guarded) => users.put({ ...reader, passwordHash: 'another' }),
      ({ users }: Guarded) => users.put({ ...reader, isEnabled: false }),
    ]) {
      const remembered = await rememberedReader();
      change(remembered);
      assert.equal((await remembered.visitor.get('/members')).status, 302);
      assert.equal(remembered.cookie(), '', 'the cookie is removed');
    }
  });

  it('ends with the logout, even for a copied cookie', async () => {
    const { visitor, cookie } = await rememberedReader();
    await visitor.get('/members');
    const kept = cookie();
    await visitor.post('/logout');
    assert.equal(cookie(), '');
    assert.equal((await visitor.get('/members')).status, 302);
    visitor.cookies.set('remember_me', kept);
    assert.equal((await visitor.get('/members')).status, 302);
  });

  it('rejects a cookie that was changed, has expired, or was created elsewhere', async () => {
    const { visitor, cookie } = await rememberedReader();
    const good = cookie();
    const elsewhere = new Visitor(
      createGuardedApp((given) => ({ ...given, secret: 'the secret of another application, long enough' }))
        .app,
    );
    await elsewhere.logIn('reader', 'reader', { _remember_me: 'on' });
    const made = elsewhere.cookies.get('remember_me') ?? '';
    assert.equal(made.split('.').length, good.split('.').length, "another application's cookie");
    const changed = [
      made,
      good.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')),
      good.slice(0, -2),
      `${good}A`,
      good.replaceAll('.', ':'),
      good.replace(Buffer.from('reader').toString('base64url'), Buffer.from('admin').toString('base64url')),
      '',
      '..',
      'a.b.c',
      'x'.repeat(5000),
    ].filter((value) => value !== good);
    for (const value of changed) {
      visitor.cookies.set('remember_me', value);
      visitor.cookies.delete('session');
      assert.equal((await visitor.get('/members')).status, 302, value.slice(0, 60));
    }
    visitor.cookies.set('remember_me', good);
    assert.equal((await visitor.get('/members')).status, 200, 'the unchanged cookie is accepted');
    await withClock(async (tick) => {
      const late = await rememberedReader({ lifetimeSeconds: 1000 });
      tick(1_001_000);
      assert.equal((await late.visitor.get('/members')).status, 302, 'an expired cookie');
    });
  });

  it('expires after its time, which restarts when it is used', () =>
    withClock(async (tick) => {
      const { visitor, cookie } = await rememberedReader({ lifetimeSeconds: 1000 });
      const before = cookie();
      tick(900_000);
      assert.equal((await visitor.get('/members')).status, 200);
      assert.notEqual(cookie(), before);
      visitor.cookies.delete('session');
      tick(900_000);
      assert.equal((await visitor.get('/members')).status, 200);
      visitor.cookies.delete('session');
      tick(1_001_000);
      assert.equal((await visitor.get('/members')).status, 302);
    }));

  it('is sent only over HTTPS if it was issued over HTTPS', async () => {
    const { visitor } = await rememberedReader({}, true);
    const { setCookies } = await visitor.logIn('reader', 'reader', { _remember_me: '1' });
    const [set = ''] = setCookies.filter((value) => value.startsWith('__Host-remember_me='));
    assert.match(set, /; Max-Age=31536000; Secure; HttpOnly; SameSite=Lax$/);
  });

  it('is never cached', async () => {
    const { visitor } = await rememberedReader();
    const answer = await visitor.logIn('reader', 'reader', { _remember_me: 'on' });
    assert.equal(answer.header('cache-control'), 'private, no-cache');
  });
});

describe('a stolen remember-me cookie', () => {
  it('is detected by an outdated token, and signs out every device', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    try {
      const { app, visitor, cookie } = await rememberedReader({ store: createMemoryExpiringStore() });
      const phone = new Visitor(app);
      await phone.logIn('reader', 'reader', { _remember_me: 'on' });
      phone.cookies.delete('session');
      const thief = new Visitor(app);
      thief.cookies.set('remember_me', cookie());

      mock.timers.tick(61_000);
      assert.equal((await visitor.get('/members')).status, 200, "the user's request rotates the token");
      mock.timers.tick(30_000);
      assert.equal((await thief.get('/members')).status, 200, 'still accepted as a concurrent request');
      thief.cookies.delete('session');
      mock.timers.tick(31_000);
      assert.equal((await thief.get('/members')).status, 302, 'is noticed');
      visitor.cookies.delete('session');
      assert.equal((await visitor.get('/members')).status, 302, 'the user has to log in again');
      assert.equal((await phone.get('/members')).status, 302, 'on every device');
      await phone.logIn('reader', 'reader', { _remember_me: 'on' });
      phone.cookies.delete('session');
      mock.timers.tick(61_000);
      assert.equal((await phone.get('/members')).status, 200, 'a login after the theft is remembered');
      phone.cookies.delete('session');
      assert.equal((await thief.get('/members')).status, 302);
      assert.equal((await phone.get('/members')).status, 200, 'tokens from before the theft do not end it');
    } finally {
      mock.timers.reset();
    }
  });

  for (const context of [undefined, 'shared'])
    it(`a session started with it ends when the theft is detected, unlike one from a full login (${context ?? 'one firewall'})`, async () => {
      mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
      try {
        const store = createMemoryExpiringStore();
        const { app } = createGuardedApp((given) => ({
          ...given,
          firewalls: [
            ...(context === undefined ? [] : [{ name: 'members', path: '/members', context }]),
            ...(given.firewalls ?? []).map((firewall) => ({
              ...firewall,
              rememberMe: { store },
              ...(context === undefined ? {} : { context }),
            })),
          ],
        }));
        const [owner, phone, thief, other] = [
          new Visitor(app),
          new Visitor(app),
          new Visitor(app),
          new Visitor(app),
        ];
        await other.logIn('admin', 'admin', { _remember_me: 'on' });
        other.cookies.delete('session');
        assert.equal((await other.get('/')).body, '{"user":"admin"}');
        await owner.logIn('reader', 'reader', { _remember_me: 'on' });
        await phone.logIn('reader', 'reader');
        thief.cookies.set('remember_me', owner.cookies.get('remember_me') ?? '');
        mock.timers.tick(61_000);
        assert.equal(
          (await thief.get('/')).body,
          '{"user":"reader"}',
          "the thief's request rotates the token",
        );
        assert.equal((await thief.get('/members')).status, 200);
        mock.timers.tick(62_000);
        owner.cookies.delete('session');
        assert.equal((await owner.get('/')).body, '{"user":null}', 'the owner presents the old token');
        for (const path of ['/members', '/']) {
          const stolen = new Visitor(app);
          stolen.cookies.set('session', thief.cookies.get('session') ?? '');
          assert.equal(((await stolen.get(path)).body.match(/"reader"/) ?? []).length, 0, path);
        }
        assert.notEqual((await thief.get('/members')).status, 200);
        assert.equal((await phone.get('/members')).status, 200, 'logged in with the password');
        assert.equal((await other.get('/members')).status, 200, 'another user');
        await owner.logIn('reader', 'reader', { _remember_me: 'on' });
        owner.cookies.delete('session');
        assert.equal((await owner.get('/')).body, '{"user":"reader"}');
        assert.equal((await owner.get('/members')).status, 200, 'sessions started afterwards continue');
      } finally {
        mock.timers.reset();
      }
    });

  it('a cookie whose end or middle was changed is not treated as stolen: no device is signed out, and the unchanged one still works', async () => {
    const { app, visitor, cookie } = await rememberedReader({ store: createMemoryExpiringStore() });
    const phone = new Visitor(app);
    await phone.logIn('reader', 'reader', { _remember_me: 'on' });
    phone.cookies.delete('session');
    const good = cookie();
    const other = (letter: string): string => (letter === 'A' ? 'B' : 'A');
    const without = good.split('.').slice(0, 2).join('.');
    const changed = [
      good.replace(/.$/, other),
      good.replace(/\.(.)/, (_all, letter: string) => `.${other(letter)}`),
      `${good}x`,
      good.slice(0, -1),
      good.slice(0, 60),
      without.replace(/.$/, other),
      `${good.slice(0, 24)}.${'A'.repeat(43)}`,
    ];
    for (const value of changed) {
      assert.notEqual(value, good);
      const tab = new Visitor(app);
      tab.cookies.set('remember_me', value);
      assert.equal((await tab.get('/members')).status, 302, value);
      assert.equal(tab.cookies.has('remember_me'), false, 'the changed cookie is removed');
    }
    for (const device of [visitor, phone]) assert.equal((await device.get('/members')).status, 200);
    const early = new Visitor(app);
    early.cookies.set('remember_me', without);
    assert.equal((await early.get('/members')).status, 200, 'a cookie from before cookies were signed');
  });

  it('many simultaneous requests with one token all succeed, and one of them returns the new token', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    try {
      const { app, cookie } = await rememberedReader({ store: createMemoryExpiringStore() });
      mock.timers.tick(61_000);
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const tab = new Visitor(app);
          tab.cookies.set('remember_me', cookie());
          return tab.get('/members');
        }),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const brought = answers.filter(({ setCookies }) =>
        setCookies.some((set) => set.startsWith('remember_me=')),
      );
      assert.equal(brought.length, 1);
    } finally {
      mock.timers.reset();
    }
  });
});
