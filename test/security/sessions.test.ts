import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channel } from 'node:diagnostics_channel';
import { after, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { exceptionEvent, HttpResponse } from 'lookback';
import type { ControllerContext } from 'lookback/controller';
import {
  createMemoryExpiringStore,
  createSqliteExpiringStore,
  type ExpiringStore,
  hashToken,
  securityChannels,
  type SessionUse,
} from 'lookback/security';
import { createGuardedApp, reader, secret, type Guarded } from './guarded-app.js';
import { countTogether, createSessionApp } from './session-app.js';
import { Visitor } from './visitor.js';
import { withClock } from './with-clock.js';

describe('sessions', () => {
  it('begin when something is stored, with a signed cookie that scripts and other sites cannot read', async () => {
    const { app } = createSessionApp(createMemoryExpiringStore());
    const visitor = new Visitor(app);
    assert.deepEqual((await visitor.get('/touch')).setCookies, []);
    const [cookie = ''] = (await visitor.get('/count')).setCookies;
    assert.match(cookie, /^session=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.deepEqual((await visitor.get('/count')).setCookies, []);
    const secure = new Visitor(app, { encrypted: true });
    const [hostCookie = ''] = (await secure.get('/count')).setCookies;
    assert.match(hostCookie, /^__Host-session=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  });

  it('never take over an unknown id, or one with a foreign signature', async () => {
    const { app } = createSessionApp(createMemoryExpiringStore());
    const other = createSessionApp(createMemoryExpiringStore());
    const foreign = new Visitor(other.app);
    await foreign.get('/count');
    const valid = foreign.cookies.get('session') ?? '';
    for (const planted of [
      'x',
      `${valid}x`,
      valid.replace('.', ''),
      `${'a'.repeat(43)}.`,
      valid,
      '',
      '.',
      'a'.repeat(9000),
    ]) {
      const visitor = new Visitor(app);
      visitor.cookies.set('session', planted);
      assert.equal((await visitor.get('/count')).body, '{"count":1}');
      assert.notEqual(visitor.cookies.get('session'), planted);
    }
  });

  it('override the caching that an application allows, unless it is none', async () => {
    const holder: { guarded?: Guarded } = {};
    const controller = async ({ request }: ControllerContext): Promise<HttpResponse> => {
      (await holder.guarded?.security.session(request))?.set('n', Math.random());
      return new HttpResponse('', { headers: { 'Cache-Control': request.query.get('said') ?? '' } });
    };
    const guarded = createGuardedApp(undefined, [{ path: '/said', name: 'said', controller }]);
    holder.guarded = guarded;
    for (const [said, sent] of [
      ['public, max-age=600', 'private, no-cache'],
      ['private, no-store', 'private, no-store'],
      ['No-Store', 'No-Store'],
      ['x-no-store', 'private, no-cache'],
    ] as const) {
      const answer = await new Visitor(guarded.app).get(`/said?said=${encodeURIComponent(said)}`);
      assert.equal(answer.header('cache-control'), sent);
    }
  });

  it('make their responses uncacheable', async () => {
    const { app } = createSessionApp(createMemoryExpiringStore());
    const visitor = new Visitor(app);
    assert.equal((await visitor.get('/count')).header('cache-control'), 'private, no-cache');
    assert.equal((await visitor.get('/look')).header('cache-control'), 'private, no-cache');
  });

  it('keep changes inside a value, and changes by a controller that failed', async () => {
    const { app } = createSessionApp(createMemoryExpiringStore());
    const visitor = new Visitor(app);
    await visitor.get('/cart?add=a');
    assert.equal((await visitor.get('/cart?add=b')).body, '["a","b"]');
    assert.equal((await visitor.get('/fail')).status, 500);
    assert.equal((await visitor.get('/cart?add=c')).body, '["a","b","c"]');
  });

  it('refuse values that cannot be stored, and work for the next request', async () => {
    const { app } = createSessionApp(createMemoryExpiringStore());
    const visitor = new Visitor(app);
    await visitor.get('/count');
    assert.equal((await visitor.get('/bad')).status, 500);
    assert.equal((await visitor.get('/huge')).status, 500);
    assert.equal((await visitor.get('/count')).body, '{"count":2}');
  });

  it('end when they are invalidated, together with their id', async () => {
    const { app } = createSessionApp(createMemoryExpiringStore());
    const visitor = new Visitor(app);
    await visitor.get('/count');
    const id = visitor.cookies.get('session') ?? '';
    assert.match((await visitor.get('/clear')).setCookies[0] ?? '', /^session=; .*Max-Age=0/);
    visitor.cookies.set('session', id);
    assert.equal((await visitor.get('/count')).body, '{"count":1}');
  });

  it('end after a long idle time, and in any case some time after they began', () =>
    withClock(async (tick) => {
      const { app } = createSessionApp(createMemoryExpiringStore(), {
        idleSeconds: 600,
        absoluteSeconds: 1500,
      });
      const visitor = new Visitor(app);
      const after = async (seconds: number, path = '/look'): Promise<string> => {
        tick(seconds * 1000);
        return (await visitor.get(path)).body;
      };
      await visitor.get('/count');
      assert.equal(await after(500), '1');
      assert.equal(await after(500), '1', 'reading counts as use');
      assert.equal(await after(490), '1');
      assert.equal(await after(20), 'none', 'expired after 1500 seconds');
      await visitor.get('/count');
      assert.equal(await after(599), '1');
      assert.equal(await after(601), 'none', 'expired when idle');
    }));

  it('report to listeners what was used, and where', async () => {
    const uses: SessionUse[] = [];
    const listen = (use: unknown): void => void uses.push(use as SessionUse);
    const { app } = createSessionApp(createMemoryExpiringStore());
    channel(securityChannels.session).subscribe(listen);
    try {
      await new Visitor(app).get('/count');
    } finally {
      channel(securityChannels.session).unsubscribe(listen);
    }
    assert.deepEqual(
      uses.map(({ operation, key }) => `${operation} ${key}`),
      ['read count', 'write count'],
    );
    assert.match(uses[0]?.location?.file ?? '', /session-app/);
  });
});

describe('many concurrent sessions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-locks-'));
  const databases: { close(): void }[] = [];
  after(() => {
    for (const database of databases) database.close();
    rmSync(folder, { recursive: true });
  });
  const sqlite = (): ExpiringStore => {
    const database = new DatabaseSync(join(folder, 'sessions.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 2000');
    databases.push(database);
    return createSqliteExpiringStore(database);
  };
  const memory = createMemoryExpiringStore();
  for (const [name, open] of [
    ['memory', () => memory],
    ['SQLite', sqlite],
  ] as const) {
    it(`lose no write of concurrent requests, in two applications over one store (${name})`, () =>
      countTogether(open));
  }

  it('answer 503 if a session stays locked, and admit other visitors meanwhile', async () => {
    const store = createMemoryExpiringStore();
    const { app } = createSessionApp(store, { lockWaitMilliseconds: 60 });
    const visitor = new Visitor(app);
    await visitor.get('/count');
    const key = hashToken((visitor.cookies.get('session') ?? '').split('.')[0] ?? '');
    assert.equal(
      await store.put(`lock:session:${key}`, 'somebody else', { lifetime: 10_000, expected: null }),
      true,
    );
    const refused = await visitor.get('/count');
    assert.deepEqual([refused.status, refused.header('retry-after')], [503, '1']);
    assert.equal((await visitor.get('/look')).body, '1');
    assert.equal((await new Visitor(app).get('/count')).body, '{"count":1}');
    await store.remove(`lock:session:${key}`, 'somebody else');
    assert.equal((await visitor.get('/count')).body, '{"count":2}');
  });
});

describe('sessions with a failing store', () => {
  it('answer 503 to clients with a session that ask for the user, and admit no one', async () => {
    const memory = createMemoryExpiringStore();
    let isDown = false;
    const failing =
      <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
      (...args: Args): Result => {
        if (isDown) throw new Error('the store is down');
        return work(...args);
      };
    const store: ExpiringStore = {
      name: 'memory',
      get: failing(memory.get),
      put: failing(memory.put),
      remove: failing(memory.remove),
      extend: failing(memory.extend),
      take: failing(memory.take),
      settle: failing(memory.settle),
    };
    const { app } = createSessionApp(store, { lockWaitMilliseconds: 100 });
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    isDown = true;
    for (const path of ['/members', '/', '/count', '/admin']) {
      assert.equal((await visitor.get(path)).status, 503, path);
    }
    assert.equal((await visitor.get('/no/such/page')).status, 404, 'the user is not needed here');
    const stranger = new Visitor(app);
    assert.equal((await stranger.get('/')).status, 200);
    assert.equal((await stranger.get('/members')).status, 302);
    assert.equal((await stranger.logIn('reader', 'reader')).status, 503);
    assert.equal((await stranger.get('/members')).status, 302);
    isDown = false;
    assert.equal((await visitor.get('/members')).status, 200);
    assert.equal((await visitor.get('/count')).body, '{"count":1}');
  });

  it('answer 503 with a code if the store returns invalid results', async () => {
    const wrongs = [42, 'secret-session', {}, [], null, new Proxy({}, { get: () => assert.fail('read') })];
    for (const method of ['get', 'put', 'remove'] as const)
      for (const wrong of wrongs) {
        if (method === 'get' && wrong === null) continue; // no entry
        for (const answer of [wrong, Promise.resolve(wrong)]) {
          let isWrong = false;
          const memory = createMemoryExpiringStore();
          const store = new Proxy(memory, {
            get: (target, name) =>
              isWrong && name === method ? () => answer : (Reflect.get(target, name) as unknown),
          });
          const { app } = createSessionApp(store, { lockWaitMilliseconds: 100 });
          const seen: unknown[] = [];
          app.on(exceptionEvent, ({ error }) => void seen.push(error), { priority: 1000 });
          const visitor = new Visitor(app);
          await visitor.logIn('reader', 'reader');
          isWrong = true;
          const tried =
            method === 'get' ? await visitor.get('/members') : await visitor.logIn('reader', 'reader');
          const what = `${method}: ${typeof wrong}`;
          assert.equal(tried.status, 503, what);
          const [error] = seen;
          assert.ok(error instanceof Error && error.cause instanceof Error, what);
          assert.match(String(Reflect.get(error.cause, 'code')), /^SECURITY_STORE_(?:ANSWER|FAILED)$/, what);
          assert.doesNotMatch(error.cause.message, /secret-session/);
        }
      }
  });
});

describe('the user in a session', () => {
  const logIn = async (): Promise<Guarded & { visitor: Visitor }> => {
    const guarded = createGuardedApp();
    const visitor = new Visitor(guarded.app);
    await visitor.logIn('reader', 'reader');
    assert.equal((await visitor.get('/members')).status, 200);
    return { ...guarded, visitor };
  };

  it('is logged out at the next request when removed, disabled, or given another password', async () => {
    for (const change of [
      ({ users }: Guarded) => users.remove('reader'),
      ({ users }: Guarded) => users.put({ ...reader, isEnabled: false }),
      ({ users }: Guarded) => users.put({ ...reader, passwordHash: 'another' }),
    ]) {
      const guarded = await logIn();
      const id = guarded.visitor.cookies.get('session');
      change(guarded);
      assert.equal((await guarded.visitor.get('/members')).status, 302);
      assert.notEqual(guarded.visitor.cookies.get('session'), id);
      guarded.users.put(reader);
      assert.equal(
        (await guarded.visitor.get('/members')).status,
        302,
        'the login is not restored by itself',
      );
    }
  });

  it('has the current roles', async () => {
    const { visitor, users } = await logIn();
    assert.equal((await visitor.get('/admin')).status, 403);
    users.put({ ...reader, roles: ['ROLE_ADMIN'] });
    assert.equal((await visitor.get('/admin')).status, 200);
    users.put(reader);
    assert.equal((await visitor.get('/admin')).status, 403);
    assert.equal((await visitor.get('/members')).status, 200);
  });

  it('can be set by the application, and be remembered', async () => {
    const holder: { guarded?: Guarded } = {};
    const guarded = createGuardedApp(undefined, [
      {
        path: '/register',
        name: 'register',
        methods: 'POST',
        controller: async ({ request }: ControllerContext) => {
          await holder.guarded?.security.logIn(request, reader, { rememberMe: true });
          return (await holder.guarded?.security.user(request))?.identifier;
        },
      },
    ]);
    holder.guarded = guarded;
    const visitor = new Visitor(guarded.app);
    assert.equal((await visitor.post('/register')).body, 'reader');
    assert.equal((await visitor.get('/vault')).status, 200);
    visitor.cookies.delete('session');
    assert.equal((await visitor.get('/members')).status, 200);
  });

  it('is logged out only by a same-site POST, which also deletes the cookie', async () => {
    const { visitor } = await logIn();
    const old = visitor.cookies.get('session') ?? '';
    const byGet = await visitor.get('/logout');
    assert.deepEqual([byGet.status, byGet.header('allow')], [405, 'POST']);
    assert.equal((await visitor.post('/logout', { site: 'cross-site' })).status, 403);
    assert.equal((await visitor.get('/members')).status, 200);
    const answer = await visitor.post('/logout');
    assert.deepEqual([answer.status, answer.location], [302, '/']);
    assert.equal(answer.header('clear-site-data'), '"cookies", "storage"');
    assert.match(answer.setCookies.join('\n'), /^session=; .*Max-Age=0/m);
    assert.equal((await visitor.get('/members')).status, 302);
    visitor.cookies.set('session', old);
    assert.equal((await visitor.get('/members')).status, 302);
  });

  it('is separate for each firewall, unless they share a context', async () => {
    const two = (context?: string): Visitor => {
      const shared = context === undefined ? {} : { context };
      const { app } = createGuardedApp((options) => {
        const [main] = options.firewalls ?? [];
        assert.ok(main);
        return {
          ...options,
          firewalls: [
            { name: 'members', path: '/members', ...shared },
            { ...main, ...shared },
          ],
        };
      });
      return new Visitor(app);
    };
    const apart = two();
    await apart.logIn('reader', 'reader');
    assert.equal((await apart.get('/members')).status, 401);
    const together = two('site');
    await together.logIn('reader', 'reader');
    assert.equal((await together.get('/members')).status, 200);
  });

  it('survives a restart with a persistent store and an unchanged secret', async () => {
    const store = { ...createMemoryExpiringStore() };
    const change = (options: object): object => ({ ...options, sessions: { store } });
    const first = new Visitor(createGuardedApp(change).app);
    await first.logIn('reader', 'reader');
    const move = (to: Visitor): Visitor => {
      for (const [key, value] of first.cookies) to.cookies.set(key, value);
      return to;
    };
    const restarted = move(new Visitor(createGuardedApp(change).app));
    assert.equal((await restarted.get('/members')).status, 200);
    const rotate = (keys: string[]) => (options: object) => ({ ...change(options), secret: keys });
    const rotated = move(new Visitor(createGuardedApp(rotate(['n'.repeat(32), secret])).app));
    assert.equal((await rotated.get('/members')).status, 200);
    const changed = move(new Visitor(createGuardedApp(rotate(['n'.repeat(32)])).app));
    assert.equal((await changed.get('/members')).status, 302);
  });
});
