import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest, HttpResponse } from '#core/http';
import { Scope } from '#core/scope';
import { createSigner } from '../secrets/signed-cookies.js';
import { type ExpiringStore, createMemoryExpiringStore } from '../stores/expiring-store.js';
import type { Session } from './session.js';
import { createSessions, type SessionOptions, type Sessions } from './sessions.js';

const signer = createSigner('a secret of thirty-two characters!', 'the test');

/** A browser with one cookie, and its requests. */
class Browser {
  cookie = '';
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  request(cookie = this.cookie, parent?: Scope): HttpRequest {
    return new HttpRequest(
      {
        method: 'GET',
        target: '/',
        rawHeaders: ['Host', 'localhost', ...(cookie === '' ? [] : ['Cookie', cookie])],
        httpVersion: '1.1',
        peer: { address: '127.0.0.1', port: 1, encrypted: false },
      },
      { scope: new Scope(parent) },
    );
  }

  /** One request from beginning to end. */
  async visit(work: (session: Session) => unknown, request = this.request()): Promise<HttpResponse> {
    await work(await this.#sessions.of(request).open());
    return this.end(request);
  }

  async end(request: HttpRequest): Promise<HttpResponse> {
    const response = new HttpResponse('');
    try {
      await this.#sessions.of(request).store(response);
    } finally {
      await this.#sessions.of(request).release();
    }
    const set = response.headers.get('set-cookie');
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
    return response;
  }
}

function open(options: Partial<SessionOptions> = {}): {
  sessions: Sessions;
  browser: Browser;
  store: ExpiringStore;
} {
  const store = options.store ?? createMemoryExpiringStore();
  const sessions = createSessions(signer, { store, ...options });
  return { sessions, browser: new Browser(sessions), store };
}

describe("a browser's session", () => {
  it('begins with the first value, and needs no previous cookie', async () => {
    const { browser, sessions } = open();
    const empty = await browser.visit(() => undefined);
    assert.equal(empty.headers.has('set-cookie'), false);
    const first = await browser.visit((session) => session.set('name', 'ada'));
    assert.match(
      first.headers.get('set-cookie') ?? '',
      /^session=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    assert.equal(first.headers.get('cache-control'), 'private, no-cache');
    assert.ok(sessions.of(browser.request()).hasId);
    assert.equal((await sessions.of(browser.request()).view())?.get('name'), 'ada');
  });

  it('behaves like a map, for any operations in any requests', async () => {
    type Step = {
      readonly kind: 'set' | 'delete' | 'new id' | 'end' | 'read';
      readonly key: string;
    };
    const step = fc.record<Step>({
      kind: fc.constantFrom('set', 'set', 'delete', 'new id', 'end', 'read'),
      key: fc.constantFrom('a', 'b', '__proto__'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 8 }), async (visits) => {
        const { browser, sessions } = open();
        const model = new Map<string, number>();
        let count = 0;
        for (const steps of visits) {
          const before = browser.cookie;
          await browser.visit((session) => {
            for (const { kind, key } of steps) {
              count++;
              if (kind === 'set') session.set(key, count);
              else if (kind === 'delete') session.delete(key);
              else if (kind === 'new id') session.regenerate();
              else if (kind === 'end') session.invalidate();
              if (kind === 'set') model.set(key, count);
              if (kind === 'delete') model.delete(key);
              if (kind === 'end') model.clear();
              for (const name of ['a', 'b', '__proto__']) assert.equal(session.get(name), model.get(name));
            }
          });
          if (steps.some(({ kind }) => kind === 'new id' || kind === 'end') && before !== '')
            assert.equal(
              await sessions.of(browser.request(before)).view(),
              undefined,
              'the old id no longer works',
            );
          if (model.size === 0 && before === '') assert.equal(browser.cookie, '');
          const view = await sessions.of(browser.request()).view();
          for (const [name, value] of model) assert.equal(view?.get(name), value);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has an id that no one else can choose', async () => {
    const { browser, sessions } = open();
    const planted = `session=${'A'.repeat(43)}.${signer.sign('session', 'A'.repeat(43))}`;
    await browser.visit((session) => session.set('name', 'ada'), browser.request(planted));
    assert.notEqual(browser.cookie, planted);
    assert.equal(await sessions.of(browser.request(planted)).view(), undefined);
    for (const bad of [
      'session=x',
      `session=${'A'.repeat(43)}.${'B'.repeat(43)}`,
      'session=.',
      `session=${'x'.repeat(500)}`,
    ])
      assert.equal(sessions.of(browser.request(bad)).hasId, false, bad);
  });

  it('is changed by one request at a time', async () => {
    const { browser, sessions } = open();
    await browser.visit((session) => session.set('count', 0));
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const request = browser.request();
        const session = await sessions.of(request).open();
        const count = session.get<number>('count') ?? 0;
        await new Promise((resolve) => setImmediate(resolve));
        session.set('count', count + 1);
        await browser.end(request);
      }),
    );
    assert.equal((await sessions.of(browser.request()).view())?.get('count'), 10);
  });

  it('is not written by a request that only views it, and cannot be changed by it', async () => {
    const store = createMemoryExpiringStore();
    let puts = 0;
    const { browser, sessions } = open({
      store: { ...store, put: (...given) => (puts++, store.put(...given)) },
    });
    await browser.visit((session) => session.set('name', 'ada'));
    const before = puts;
    const request = browser.request();
    const view = await sessions.of(request).view();
    assert.equal(view?.get('name'), 'ada');
    const response = await browser.end(request);
    assert.equal(puts, before);
    assert.equal(
      response.headers.get('cache-control'),
      'private, no-cache',
      'the page may depend on the visitor',
    );
    assert.throws(() => (view as Session).set('name', 'eve'), { code: 'SECURITY_SESSION_CLOSED' });
  });
});

describe('a session cannot be', () => {
  it('larger than its limit, in bytes', async () => {
    const { browser } = open();
    await browser.visit((session) => session.set('a', 'ä'.repeat(131_000)));
    await assert.rejects(
      browser.visit((session) => session.set('a', 'ä'.repeat(131_072))),
      { code: 'SECURITY_SESSION_TOO_BIG' },
    );
  });

  it('written once its response is being sent', async () => {
    const { browser } = open();
    let kept: Session | undefined;
    await browser.visit((session) => {
      kept = session;
      session.set('a', 1);
    });
    for (const change of [
      () => kept?.set('a', 2),
      () => kept?.regenerate(),
      () => kept?.invalidate(),
      () => kept?.flash('info', 'x'),
    ])
      assert.throws(change, { code: 'SECURITY_SESSION_CLOSED' });
  });

  it('stored by a request whose lock another one has taken over', async () => {
    const store = createMemoryExpiringStore();
    const { browser: early } = open({ store });
    await early.visit((session) => session.set('a', 1));
    const { browser, sessions } = open({ store, lockMilliseconds: 1 });
    browser.cookie = early.cookie;
    const request = browser.request();
    const session = await sessions.of(request).open();
    const until = performance.now() + 2;
    while (performance.now() < until); // the lock expires
    session.set('a', 2);
    await assert.rejects(browser.end(request), { code: 'SECURITY_SESSION_LOCK_LOST' });
    assert.equal((await sessions.of(browser.request()).view())?.get('a'), 1);
  });

  it('waited for longer than allowed', async () => {
    const { browser, sessions } = open({ lockWaitMilliseconds: 20 });
    await browser.visit((session) => session.set('a', 1));
    const request = browser.request();
    await sessions.of(request).open();
    const alive = setInterval(() => undefined, 1000); // waiting for a lock does not keep the process alive
    await assert.rejects(sessions.of(browser.request()).open(), { status: 503 });
    clearInterval(alive);
    await browser.end(request);
    await browser.visit((session) => session.set('a', 2));
  });

  it('older than its absolute lifetime, however often it is used', async () => {
    const { browser, sessions } = open({ absoluteSeconds: 1e-9 });
    await browser.visit((session) => session.set('a', 1));
    assert.equal(await sessions.of(browser.request()).view(), undefined);
    await browser.visit((session) => assert.equal(session.has('a'), false));
  });
});

describe('flash messages', () => {
  it('are read once, by kind, and the last twenty are kept', async () => {
    const { browser } = open();
    await browser.visit((session) => {
      for (let count = 0; count < 25; count++) session.flash('info', String(count));
      session.flash('__proto__', 'kept apart');
    });
    await browser.visit((session) => {
      assert.deepEqual(
        session.takeFlashes('info'),
        Array.from({ length: 20 }, (_, at) => String(at + 5)),
      );
      assert.deepEqual(session.takeFlashes('info'), []);
      assert.deepEqual(session.takeFlashes('__proto__'), ['kept apart']);
      assert.ok(session.isEmpty);
    });
  });
});
