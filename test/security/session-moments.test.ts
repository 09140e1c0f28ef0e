import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import {
  type App,
  createApp,
  finishRequestEvent,
  type HttpRequest,
  HttpResponse,
  isCodedError,
  kernelPriority,
  responseEvent,
  terminateEvent,
} from 'lookback';
import {
  createMemoryExpiringStore,
  createMemoryUserProvider,
  createSecurity,
  type ExpiringStore,
  formLogin,
  type Security,
  type Session,
} from 'lookback/security';
import { eventStream, webSocket } from 'lookback/web';
import {
  type Answer,
  ask,
  openTransport,
  tlsFiles,
  type Transport,
  type TransportName,
  transportNames,
} from '../integration/http/transports.js';
import { until } from '../until.js';
import { admin, cheapHasher, reader, secret } from './guarded-app.js';

interface Site {
  readonly app: App;
  readonly security: Security;
  readonly logged: string[];
}

function createSite(over: TransportName | 'socket', sessions: object = {}): Site {
  const security = createSecurity({
    secret,
    provider: createMemoryUserProvider([reader, admin]),
    hashers: [cheapHasher],
    sessions: { lockWaitMilliseconds: 400, ...sessions },
    firewalls: [
      { name: 'main', authenticators: [formLogin()], logout: true, rememberMe: true, switchUser: true },
    ],
    accessControl: [{ path: '/members', allow: 'IS_AUTHENTICATED' }],
  });
  const logged: string[] = [];
  const app = createApp({
    configuration: {
      debug: false,
      env: 'test',
      profilerStore: 'off',
      ...(over === 'TLS' || over === 'HTTP/2' ? { tls: tlsFiles } : {}),
    },
    logHandlers: [{ minLevel: 'error', handle: ({ message }) => void logged.push(message) }],
    security,
  });
  app.get('/start', async ({ request }) => {
    (await security.session(request)).set('cart', ['pear']);
    return 'started';
  });
  app.get('/cart', async ({ request }) => (await security.session(request)).get('cart') ?? 'none');
  app.get('/late', async ({ request }) => (await security.viewSession(request))?.get('late') ?? 'nothing');
  app.get('/who', async ({ request, user }) => ({
    user: user?.identifier ?? null,
    cart: (await security.viewSession(request))?.get('cart') ?? null,
    seen: (await security.viewSession(request))?.get('seen') ?? null,
  }));
  app.get('/count', async ({ request }) => {
    const session = await security.session(request);
    session.set('seen', (session.get<number>('seen') ?? 0) + 1);
    return 'counted';
  });
  app.get('/flash', async ({ request }) => {
    (await security.session(request)).flash('info', 'Saved.');
    return 'x';
  });
  app.get('/clear', async ({ request }) => {
    (await security.session(request)).invalidate();
    return 'x';
  });
  app.get('/rotate', async ({ request }) => {
    (await security.session(request)).regenerate();
    return 'x';
  });
  app.get('/members', ({ user }) => user?.identifier ?? 'nobody');
  return { app, security, logged };
}

/** A browser with a cookie jar. A response's cookies are only stored when `take` is called. */
class Browser {
  readonly jar: Map<string, string> = new Map<string, string>();
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  send(path: string, cookie: string = this.cookie, form?: Record<string, string>): Promise<Answer> {
    return ask(this.#transport, {
      path,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'text/html',
        'sec-fetch-site': 'same-origin',
        ...(cookie === '' ? {} : { cookie }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    });
  }

  logIn(cookie?: string, name = 'reader', more: Record<string, string> = {}): Promise<Answer> {
    return this.send('/login', cookie, { _username: name, _password: name, ...more });
  }

  take(answer: Answer): Answer {
    for (const [name, value] of answer.headers) {
      if (name !== 'set-cookie') continue;
      const [pair = ''] = value.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(value)) this.jar.delete(pair.slice(0, at));
      else this.jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }

  async get(path: string): Promise<string> {
    return this.take(await this.send(path)).body;
  }
}

async function withSite(
  over: TransportName,
  use: (site: Site & { browser: () => Browser }) => Promise<void>,
  { sessions = {}, prepare }: { sessions?: object; prepare?: (site: Site) => void } = {},
): Promise<void> {
  const site = createSite(over, sessions);
  prepare?.(site);
  const transport = await openTransport(over, site.app);
  try {
    await use({ ...site, browser: () => new Browser(transport) });
  } finally {
    await transport.close();
    await site.app.close();
  }
}

type Touch = (request: HttpRequest) => Promise<void>;

/** Ways to run code after a request's session has been stored, by path. */
const lateWays: Readonly<Record<string, (app: App, path: string, touch: Touch) => void>> = {
  'an event stream': (app, path, touch) =>
    app.get(path, ({ request }) =>
      eventStream(request, async function* () {
        await touch(request);
        yield { data: 'end' };
      }),
    ),
  'a streamed body': (app, path, touch) =>
    app.get(path, ({ request }) =>
      HttpResponse.stream(
        (async function* () {
          yield 'a';
          await touch(request);
          yield 'b';
        })(),
      ),
    ),
  'work that was not awaited': (app, path, touch) =>
    app.get(path, ({ request }) => {
      setTimeout(() => void touch(request), 20);
      return 'x';
    }),
  'a terminate listener': (app, path, touch) => {
    app.get(path, () => 'x');
    app.on(terminateEvent, ({ request }) => (request.path === path ? touch(request) : undefined));
  },
  'a finish request listener': (app, path, touch) => {
    app.get(path, () => 'x');
    app.on(finishRequestEvent, ({ request }) => (request.path === path ? touch(request) : undefined));
  },
  'a response listener after the session': (app, path, touch) => {
    app.get(path, () => 'x');
    app.on(responseEvent, ({ request }) => (request.path === path ? touch(request) : undefined), {
      priority: kernelPriority.response.session - 1,
    });
  },
};

/** Reads the session, then tries to change it in every way, and keeps the results. */
function createTouch(security: () => Security): { touch: Touch; seen: unknown[] } {
  const seen: unknown[] = [];
  const touch: Touch = async (request) => {
    const session: Session = await security().session(request);
    const noted: unknown[] = [session.get('cart')];
    for (const change of [
      () => session.set('late', true),
      () => session.delete('cart'),
      () => session.flash('info', 'x'),
      () => session.regenerate(),
      () => session.invalidate(),
      () => void session.get<string[]>('cart')?.push('plum'),
    ]) {
      try {
        change();
        noted.push('written');
      } catch (error) {
        noted.push(isCodedError(error) ? error.code : (error as Error).name);
        if (isCodedError(error)) assert.match(error.fix ?? '', /viewSession/);
      }
    }
    noted.push((await security().viewSession(request))?.get('cart'));
    seen.push(noted);
  };
  return { touch, seen };
}

const refused = [['pear'], ...Array<string>(5).fill('SECURITY_SESSION_CLOSED'), 'TypeError', ['pear']];

it('a change inside a session value while the response is streamed is logged in one line; without a change, nothing is', async () => {
  const logged: string[] = [];
  const security: Security = createSecurity({ secret, log: () => app.log });
  const app: App = createApp({
    configuration: { env: 'test', debug: false, profilerStore: 'off' },
    logHandlers: [{ minLevel: 'warning', handle: ({ message }) => void logged.push(message) }],
    security,
  });
  app.get('/stream', async ({ request }) => {
    const session = await security.session(request);
    const cart: string[] = ['pear'];
    session.set('cart', cart);
    async function* chunks(): AsyncGenerator<string> {
      yield 'one ';
      await new Promise(setImmediate); // the response has begun
      if (request.query.has('late')) cart.push('plum');
      yield 'two';
    }
    return new HttpResponse(Readable.from(chunks()));
  });
  try {
    assert.equal(await (await app.fetch('/stream')).text(), 'one two');
    assert.deepEqual(logged, []);
    assert.equal(await (await app.fetch('/stream?late')).text(), 'one two');
    await until(() => logged.length > 0, 'the late change was logged');
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /was not stored.*security\.viewSession\(request\)/);
  } finally {
    await app.close();
  }
});

it('a change inside a session value, made in a WebSocket handler, is logged in one line without the option log', async () => {
  const logged: string[] = [];
  const security = createSecurity({ secret });
  const app = createApp({
    configuration: { env: 'test', debug: false, profilerStore: 'off' },
    logHandlers: [
      { minLevel: 'warning', handle: ({ channel, message }) => void logged.push(`${channel} ${message}`) },
    ],
    security,
  });
  const cart: string[] = ['pear'];
  const controller = webSocket(async (socket) => {
    for await (const message of socket) if (message === 'late') cart.push('plum');
  });
  app.get('/ws', controller, {
    around: [
      async (request, next) => {
        (await security.session(request)).set('cart', cart);
        return next();
      },
    ],
  });
  const { port } = await app.listen({ port: 0 });
  const talk = async (message: string): Promise<void> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    await once(socket, 'open');
    socket.send(message);
    socket.close(1000);
    await once(socket, 'close');
  };
  try {
    await talk('nothing');
    await talk('late');
    await until(() => logged.length > 0, 'the late change was logged');
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /^security .*was not stored.*security\.viewSession\(request\)/);
  } finally {
    await app.close();
  }
});

it('a view of a session refuses changes inside its values, which would be lost', async () => {
  const { app, security } = createSite('socket');
  app.get('/push', async ({ request }) => {
    const view = await security.viewSession(request);
    assert.throws(() => view?.get<string[]>('cart')?.push('plum'), TypeError);
    return view?.get('cart');
  });
  const started = await app.fetch('/start');
  const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  assert.deepEqual(await (await app.fetch('/push', { headers: { cookie } })).json(), ['pear']);
  await app.close();
});

describe('a session opened after the response has begun', () => {
  for (const over of transportNames)
    for (const [where, add] of Object.entries(lateWays))
      it(`can be read in ${where}, refuses every change immediately, and locks no one out (${over})`, async () => {
        const holder: { security?: Security } = {};
        const { touch, seen } = createTouch(() => holder.security ?? assert.fail());
        await withSite(
          over,
          async ({ security, browser }) => {
            holder.security = security;
            const [ada, bob] = [browser(), browser()];
            for (const one of [ada, bob]) {
              await one.get('/start');
              await one.send('/way');
            }
            await until(() => seen.length === 2, 'both sessions were touched');
            assert.deepEqual(seen, [refused, refused]);
            for (const one of [ada, bob]) {
              assert.equal(await one.get('/cart'), '["pear"]');
              assert.equal(await one.get('/late'), 'nothing');
            }
          },
          { prepare: ({ app }) => add(app, '/way', touch) },
        );
      });

  it('can be read in a WebSocket handler, refuses every change immediately, and locks no one out', async () => {
    const site = createSite('socket');
    const { touch, seen } = createTouch(() => site.security);
    site.app.get(
      '/ws',
      webSocket(async (socket, { request }) => {
        await touch(request);
        await socket.send('touched');
        for await (const _message of socket);
      }),
    );
    const transport = await openTransport('HTTP/1.1', site.app);
    const browser = new Browser(transport);
    await browser.get('/start');
    const socket = new WebSocket(`${transport.origin.replace('http', 'ws')}/ws`, {
      headers: { cookie: browser.cookie },
    });
    await new Promise((resolve) => socket.once('message', resolve));
    assert.deepEqual(seen, [refused]);
    assert.equal(await browser.get('/cart'), '["pear"]');
    socket.close();
    await transport.close();
    await site.app.close();
  });

  it('is empty for a visitor who has none, and begins none', () =>
    withSite(
      'HTTP/1.1',
      async ({ browser, logged }) => {
        const visitor = browser();
        const answer = visitor.take(await visitor.send('/way'));
        assert.equal(answer.isWhole, false, 'the session write during the stream failed');
        assert.equal(visitor.cookie, '');
        assert.match(logged.join(), /The session cannot be changed: the response has begun/);
      },
      {
        prepare: ({ app, security }) =>
          void app.get('/way', ({ request }) =>
            HttpResponse.stream(
              (async function* () {
                yield 'a';
                const session = await security.session(request);
                assert.deepEqual(session.keys(), []);
                session.set('late', true);
              })(),
            ),
          ),
      },
    ));
});

describe('a request sent before the session id was replaced', () => {
  const begin = async (browser: Browser): Promise<string> => {
    await browser.get('/start');
    return browser.cookie;
  };
  const who = async (browser: Browser): Promise<unknown> => JSON.parse(await browser.get('/who'));
  const ada = { user: 'reader', cart: ['pear'], seen: null };

  for (const over of transportNames) {
    for (const late of ['/count', '/flash', '/rotate', '/clear', '/cart', '/who'])
      it(`logs no one out with its late response: a login, then ${late} (${over})`, () =>
        withSite(over, async ({ browser }) => {
          const one = browser();
          const old = await begin(one);
          one.take(await one.logIn(old));
          one.take(await one.send(late, old));
          assert.deepEqual(await who(one), ada);
        }));

    it(`keeps the session content if it is the login form sent again (${over})`, () =>
      withSite(over, async ({ browser }) => {
        const one = browser();
        const old = await begin(one);
        for (let times = 0; times < 3; times++) one.take(await one.logIn(old));
        assert.deepEqual(await who(one), ada);
        const other = browser();
        const first = await begin(other);
        for (const answer of await Promise.all([other.logIn(first), other.logIn(first)])) other.take(answer);
        assert.deepEqual(await who(other), ada);
      }));
  }

  it('logs no one out after regenerate() or after switching the user', () =>
    withSite('HTTP/1.1', async ({ browser }) => {
      const one = browser();
      one.take(await one.logIn(await begin(one)));
      const old = one.cookie;
      await one.get('/rotate');
      one.take(await one.send('/count', old));
      one.take(await one.send('/rotate', old));
      assert.deepEqual(await who(one), ada);

      const boss = browser();
      boss.take(await boss.logIn(await begin(boss), 'admin'));
      const own = boss.cookie;
      boss.take(await boss.send('/who?_switch_user=reader'));
      boss.take(await boss.send('/count', own));
      const again = boss.take(await boss.send('/who?_switch_user=reader', own));
      assert.equal(
        again.headers.find(([name]) => name === 'location')?.[1],
        '/who',
        'same redirect as the first time',
      );
      assert.deepEqual(await who(boss), ada);
      const acting = boss.cookie;
      boss.take(await boss.send('/who?_switch_user=_exit'));
      boss.take(await boss.send('/count', acting));
      assert.deepEqual(await who(boss), { ...ada, user: 'admin' });
    }));

  it('does not downgrade a full login to a remembered one', () =>
    withSite('HTTP/1.1', async ({ browser }) => {
      const one = browser();
      one.take(await one.logIn(await begin(one), 'reader', { _remember_me: 'on' }));
      one.jar.delete('session');
      await one.get('/start');
      const remembered = one.cookie;
      const form = one.take(await one.logIn(remembered, 'reader', { _remember_me: 'on' }));
      assert.equal(form.status, 302);
      const full = one.jar.get('session');
      const late = one.take(await one.send('/count', `${remembered}`));
      assert.ok(!late.headers.some(([name, value]) => name === 'set-cookie' && value.startsWith('session=')));
      assert.equal(one.jar.get('session'), full);
    }));

  it('logs no one out who has logged in again after a logout, and does not restore an ended session', () =>
    withSite('HTTP/1.1', async ({ browser }) => {
      const one = browser();
      one.take(await one.logIn(await begin(one)));
      const old = one.cookie;
      one.take(await one.send('/logout', old, {}));
      assert.deepEqual(await who(one), { user: null, cart: null, seen: null });
      one.take(await one.logIn());
      one.take(await one.send('/count', old));
      assert.deepEqual(await who(one), { user: 'reader', cart: null, seen: null });
      const thief = browser();
      thief.take(await thief.logIn(old, 'admin'));
      assert.deepEqual(await who(thief), { user: 'admin', cart: null, seen: null });
    }));

  it('sees nothing of the new session: an attacker who planted an id learns nothing', () =>
    withSite('HTTP/1.1', async ({ browser }) => {
      const [victim, attacker] = [browser(), browser()];
      const planted = await begin(attacker);
      victim.take(await victim.logIn(planted));
      await victim.get('/count');
      for (const path of ['/who', '/count', '/who', '/members'])
        assert.doesNotMatch((await attacker.send(path, planted)).body, /reader|"seen":1/);
      attacker.take(await attacker.logIn(planted, 'admin'));
      assert.deepEqual(await who(attacker), { user: 'admin', cart: ['pear'], seen: null });
      assert.deepEqual(await who(victim), { ...ada, seen: 1 });
    }));

  it('in progress in many tabs at once logs no one out, in any order of the responses', () =>
    withSite('HTTP/1.1', async ({ browser }) => {
      for (let round = 0; round < 5; round++) {
        const one = browser();
        const old = await begin(one);
        const login = one.logIn(old);
        const polls = Array.from({ length: 6 }, () => one.send('/count', old));
        one.take(await login);
        for (const answer of await Promise.all(polls)) one.take(answer);
        assert.equal(((await who(one)) as { user: string }).user, 'reader');
      }
    }));
});

describe('a page that requests its own site with the session open', () => {
  const prepare = ({ app, security }: Site): void => {
    app.get('/outer', async ({ request }) => {
      await security.session(request);
      const headers = { cookie: request.headers.get('cookie') ?? '' };
      const inner = await app.fetch(request.query.get('to') ?? '', { headers });
      return `${inner.status} ${await inner.text()}`;
    });
    app.get('/between', async ({ request }) => {
      const headers = { cookie: request.headers.get('cookie') ?? '' };
      return (await app.fetch('/count', { headers })).text();
    });
    app.get('/wire', async ({ request }) => {
      await security.session(request);
      const headers = { cookie: request.headers.get('cookie') ?? '' };
      const inner = await fetch(`${request.origin}/count`, { headers });
      return String(inner.status);
    });
    app.get('/beside', async ({ request }) => {
      const session = await security.session(request);
      const headers = { cookie: request.headers.get('cookie') ?? '' };
      void app.fetch('/count', { headers });
      session.set('beside', true);
      return 'x';
    });
  };

  for (const over of ['HTTP/1.1', 'fetch'] as const)
    it(`is told immediately that it waits for itself (${over})`, () =>
      withSite(
        over,
        async ({ browser, logged }) => {
          const one = browser();
          await one.get('/start');
          const began = performance.now();
          assert.match(await one.get('/outer?to=/count'), /^500 /);
          assert.match(await one.get('/outer?to=/between'), /500/);
          assert.ok(performance.now() - began < 8000, 'without waiting the full ten seconds');
          assert.match(
            logged.join('\n'),
            /The request is waiting for itself: GET \/outer has the session open/,
          );
          assert.match(await one.get('/outer?to=/who'), /^200 /, 'reads do not wait');
          assert.equal(await one.get('/cart'), '["pear"]');
        },
        { prepare, sessions: { lockWaitMilliseconds: 10_000 } },
      ));

  it('is told so in the 503 message if the request goes over a socket', () =>
    withSite(
      'HTTP/1.1',
      async ({ browser, logged }) => {
        const one = browser();
        await one.get('/start');
        assert.equal(await one.get('/wire'), '503');
        assert.match(logged.join('\n'), /by GET \/wire in this process.*waits for itself/);
      },
      { prepare },
    ));

  it('can still send requests that it does not wait for', () =>
    withSite(
      'HTTP/1.1',
      async ({ browser, logged }) => {
        const one = browser();
        await one.get('/start');
        assert.equal(await one.get('/beside'), 'x');
        await until(async () => (await one.get('/who')).includes('"seen":1'), 'the call was answered');
        assert.deepEqual(logged, []);
      },
      { prepare },
    ));
});

/** A store that stops responding: pending operations are answered once it is back. */
function createSilentStore(name = 'redis'): { store: ExpiringStore; fallSilent(): void; comeBack(): void } {
  const memory = createMemoryExpiringStore();
  let silence: Promise<void> | undefined;
  let end = (): void => undefined;
  const after =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      await silence;
      return await work(...args);
    };
  return {
    store: {
      name,
      get: after(memory.get),
      put: after(memory.put),
      remove: after(memory.remove),
      extend: after(memory.extend),
      take: after(memory.take),
      settle: after(memory.settle),
    },
    fallSilent() {
      silence = new Promise((resolve) => (end = resolve));
    },
    comeBack() {
      silence = undefined;
      end();
    },
  };
}

describe('a session store that does not respond', () => {
  const storeTimeoutMilliseconds = 300;
  for (const over of transportNames)
    it(`causes a 503 with one line for requests that need user or session, and affects no others (${over})`, async () => {
      const { store, fallSilent, comeBack } = createSilentStore();
      await withSite(
        over,
        async ({ browser, logged }) => {
          const [one, stranger] = [browser(), browser()];
          await one.get('/start');
          one.take(await one.logIn(undefined, 'reader', { _remember_me: 'on' }));
          fallSilent();
          for (const path of ['/public', '/missing'])
            assert.equal((await one.send(path)).status, path === '/public' ? 200 : 404, path);
          assert.equal((await stranger.send('/public')).status, 200);
          assert.deepEqual(logged, []);
          for (const path of ['/who', '/count', '/members', '/asks', '/late']) {
            logged.length = 0;
            const answer = await one.send(path);
            assert.equal(answer.status, 503, path);
            assert.ok(answer.headers.some(([name]) => name === 'retry-after'));
            assert.equal(logged.length, 1, `${path}: ${logged.join('\n')}`);
            assert.match(logged.join(), /The redis security store did not answer within \d+ ms\./);
          }
          assert.equal((await one.logIn()).status, 503);
          assert.equal((await stranger.logIn()).status, 503);
          const began = performance.now();
          assert.equal((await one.send('/public')).status, 200);
          assert.ok(performance.now() - began < 5000, 'later pages do not wait for the full timeout');
          one.jar.delete('session');
          one.jar.delete('__Host-session');
          assert.equal((await one.send('/public')).status, 200, 'with a remembered login alone');
          comeBack();
          await until(async () => (await one.send('/members')).status === 200, 'the store is used again');
        },
        {
          sessions: { store, storeTimeoutMilliseconds },
          prepare({ app, security }) {
            app.get('/public', () => 'public');
            app.get('/asks', async ({ request }) => String(await security.isGranted(request, 'ROLE_X')));
          },
        },
      );
    });

  it('is waited for indefinitely with a timeout of Infinity, or one longer than timers allow', async () => {
    for (const longest of [Infinity, 2 ** 40]) {
      const { store, fallSilent, comeBack } = createSilentStore();
      await withSite(
        'HTTP/1.1',
        async ({ browser, logged }) => {
          const one = browser();
          fallSilent();
          const begun = one.send('/start');
          await sleep(50); // longer than Node's timers can wait when given Infinity
          comeBack();
          assert.equal(one.take(await begun).status, 200);
          assert.equal(await one.get('/cart'), '["pear"]');
          assert.deepEqual(logged, []);
        },
        { sessions: { store, storeTimeoutMilliseconds: longest } },
      );
    }
  });

  it('answers the first request after it is back, and leaves no lock of a request that gave up', async () => {
    const { store, fallSilent, comeBack } = createSilentStore();
    await withSite(
      'HTTP/1.1',
      async ({ browser }) => {
        const one = browser();
        await one.get('/start');
        fallSilent();
        const [first, second] = await Promise.all([one.send('/count'), one.send('/cart')]);
        assert.deepEqual([first.status, second.status], [503, 503]);
        comeBack();
        assert.equal(await one.get('/cart'), '["pear"]');
        assert.equal(await one.get('/count'), 'counted');
      },
      { sessions: { store, storeTimeoutMilliseconds, lockWaitMilliseconds: 2000 } },
    );
  });

  it('does not fail pages that need it only to extend the idle time and release the lock', async () => {
    const { store, fallSilent, comeBack } = createSilentStore();
    await withSite(
      'HTTP/1.1',
      async ({ browser, logged }) => {
        const one = browser();
        await one.get('/start');
        await sleep(120); // more than a tenth of the idle time
        assert.equal((await one.send('/view-then-silence')).status, 200);
        assert.deepEqual(logged, []);
        comeBack();
      },
      {
        sessions: { store, storeTimeoutMilliseconds, idleSeconds: 1 },
        prepare({ app, security }) {
          app.get('/view-then-silence', async ({ request }) => {
            await security.viewSession(request);
            fallSilent();
            return 'x';
          });
        },
      },
    );
  });
});

describe('a firewall without sessions', () => {
  const create = (): { app: App; logged: string[] } => {
    const logged: string[] = [];
    const security = createSecurity({
      secret,
      provider: createMemoryUserProvider([reader]),
      hashers: [cheapHasher],
      firewalls: [
        { name: 'api', path: '/api', stateless: true },
        { name: 'open', path: '/open', security: false },
        { name: 'main', path: '/main', authenticators: [formLogin({ loginPath: '/main/login' })] },
      ],
    });
    const app = createApp({
      configuration: { debug: true, env: 'test', profilerStore: 'off' },
      logHandlers: [{ minLevel: 'error', handle: ({ message }) => void logged.push(message) }],
      security,
    });
    for (const path of ['/api/write', '/open/write', '/main/write', '/elsewhere/write']) {
      app.post(path, async ({ request }) => {
        (await security.session(request)).set('mail', 'changed');
        return 'written';
      });
      app.get(path.replace('write', 'view'), async ({ request }) =>
        String((await security.viewSession(request))?.get('mail')),
      );
    }
    return { app, logged };
  };

  for (const [name, reason] of [
    ['api', 'it is stateless'],
    ['open', 'its security is off'],
    ['elsewhere', 'no firewall covers this path'],
  ] as const)
    it(`opens none, not even with another firewall's cookie, and sets no cookie (${reason})`, async () => {
      const { app, logged } = create();
      const transport = await openTransport('fetch', app);
      const headers = { 'sec-fetch-site': 'same-origin', accept: 'text/plain' };
      const begun = await ask(transport, { path: '/main/write', method: 'POST', headers });
      assert.equal(begun.body, 'written');
      const cookie = begun.headers.find(([field]) => field === 'set-cookie')?.[1].split(';')[0] ?? '';
      for (const sent of [
        headers,
        { ...headers, cookie },
        { ...headers, cookie, 'sec-fetch-site': 'cross-site' },
      ]) {
        const answer = await ask(transport, { path: `/${name}/write`, method: 'POST', headers: sent });
        assert.equal(answer.status, 500);
        assert.match(logged.splice(0).join(), new RegExp(`has no session: ${reason}`));
        assert.ok(!answer.headers.some(([field]) => field === 'set-cookie'));
        assert.equal((await ask(transport, { path: `/${name}/view`, headers: sent })).body, 'undefined');
      }
      assert.equal((await ask(transport, { path: '/main/view', headers: { cookie } })).body, 'changed');
      await app.close();
    });
});
