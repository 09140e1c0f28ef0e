import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import { HttpRequest, HttpResponse } from '#http';
import type { ExpiringStore } from '#security';
import { createMemoryExpiringStore } from '#security';
import { eventStream, type EventStreamOptions } from './events/event-stream.js';
import { renderEvent } from './events/render-event.js';
import { health } from './health/health.js';
import { runChecks } from './health/run-checks.js';
import { createRatePolicy, type RateLimitOptions } from './limits/rate-policy.js';
import { createPathMatcher } from './path-matcher.js';
import { cspNonce, createPolicyWriter, defaultPolicy } from './protection/content-security-policy.js';
import { timerMilliseconds } from './timer-milliseconds.js';
import { webSocket } from './sockets/web-socket.js';

function request(target = '/', headers: Record<string, string> = {}, address = '203.0.113.7'): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: Object.entries({ Host: 'example.org', ...headers }).flat(),
    httpVersion: '1.1',
    peer: { address, port: 1, encrypted: false },
  });
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => isCodedError(error) && error.code === code;
}

describe('times given as options', () => {
  const named = { option: 'x', what: 'y', scale: 1000 } as const;

  it('never become timers that fire at once', () => {
    for (const seconds of [Number.POSITIVE_INFINITY, 2_147_484, Number.MAX_VALUE])
      assert.equal(timerMilliseconds(seconds, named), 2_147_483_647);
    assert.equal(timerMilliseconds(0.05, named), 50);
    assert.equal(timerMilliseconds(50, { ...named, scale: 1 }), 50);
  });

  it('that are no times are refused where they are given', () => {
    for (const bad of [0, -1, Number.NaN, Number.NEGATIVE_INFINITY]) {
      const isRefused = hasCode('WEB_BAD_OPTION');
      assert.throws(() => timerMilliseconds(bad, named), isRefused);
      const source = async function* (): AsyncGenerator<string> {
        yield 'x';
      };
      const stream = (options: EventStreamOptions): HttpResponse => eventStream(request(), source, options);
      assert.throws(() => stream({ heartbeatSeconds: bad }), isRefused);
      assert.throws(() => stream({ retryMilliseconds: bad }), isRefused);
      assert.throws(() => webSocket(() => undefined, { idleSeconds: bad }), isRefused);
      assert.throws(() => health({ timeout: bad }), isRefused);
    }
  });

  it('of a stream without heartbeats leave it quiet', async () => {
    let go = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    const source = async function* (): AsyncGenerator<string> {
      await waiting;
      yield 'late';
    };
    const { body } = eventStream(request(), source, { heartbeatSeconds: Number.POSITIVE_INFINITY });
    const lines = (body as AsyncIterable<string>)[Symbol.asyncIterator](); // what an event stream is
    assert.equal((await lines.next()).value, ':\n\n');
    const next = lines.next();
    const first = await Promise.race([next, new Promise((resolve) => setImmediate(resolve, 'quiet'))]);
    assert.equal(first, 'quiet');
    go();
    assert.equal((await next).value, 'data: late\n\n');
    assert.equal((await lines.next()).done, true);
  });
});

describe('an event of a stream', () => {
  /** As a browser reads it (WHATWG HTML, section 9.2.6). */
  const read = (text: string): { type: string; data: string; id: string } | undefined => {
    const event = { type: 'message', data: [] as string[], id: '' };
    for (const line of text.split(/\r\n|\r|\n/)) {
      const [, field = line, value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      if (field === 'data') event.data.push(value);
      if (field === 'event') event.type = value;
      if (field === 'id') event.id = value;
    }
    return event.data.length === 0 ? undefined : { ...event, data: event.data.join('\n') };
  };

  it('is read as it was written, whatever lines it has', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ':', ' ', '\n', '\r', 'data: x', 'é', '\u2028', '\0'),
    });
    const name = fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é') });
    fc.assert(
      fc.property(text, name, name, (data, event, id) => {
        const written = renderEvent({ data, event: `e${event}`, id: `i${id}` });
        assert.deepEqual(read(written), {
          type: `e${event}`,
          data: data.replaceAll(/\r\n|\r/g, '\n'),
          id: `i${id}`,
        });
        assert.ok(written.endsWith('\n\n'));
        assert.equal(written.slice(0, -2).includes('\n\n'), false);
      }),
    );
  });

  it('has anything but text as JSON, and refuses names that would break out', () => {
    assert.equal(renderEvent({ data: { a: 1 } }), 'data: {"a":1}\n\n');
    assert.equal(renderEvent({ data: undefined }), 'data: null\n\n');
    for (const bad of ['a\nb', 'a\rb', 'a\0b']) {
      assert.throws(() => renderEvent({ data: '', event: bad }), hasCode('WEB_EVENT_FIELD'));
      assert.throws(() => renderEvent({ data: '', id: bad }), hasCode('WEB_EVENT_FIELD'));
    }
  });
});

describe('paths of an extension', () => {
  it('are meant with all below them, and nothing beside them', () => {
    const isMeant = createPathMatcher(['/api', '/files/']);
    for (const path of ['/api', '/api/', '/api/x/y', '/files', '/files/a', '/api?x=1'])
      assert.equal(isMeant(request(path)), true, path);
    for (const path of ['/', '/apis', '/x/api', '/file', '/files2'])
      assert.equal(isMeant(request(path)), false, path);
    assert.equal(createPathMatcher(['/'])(request('/anything')), true);
    assert.equal(createPathMatcher(undefined)(request('/anything')), true);
    assert.equal(createPathMatcher([])(request('/anything')), false);
  });

  it('are compared as they are routed: decoded', () => {
    assert.equal(createPathMatcher(['/api'])(request('/%61pi/x')), true);
  });
});

describe('a policy of requests in a window', () => {
  const verdicts = async (options: RateLimitOptions, addresses: readonly string[]): Promise<boolean[]> => {
    const policy = createRatePolicy(options);
    const taken: boolean[] = [];
    for (const address of addresses)
      taken.push((await policy.count(request('/', {}, address)))?.isTaken === true);
    return taken;
  };

  it('takes as many as it allows, for each client its own, and tells how many are left', async () => {
    const policy = createRatePolicy({ limit: 2, window: 60 });
    const count = async (address: string): Promise<unknown> => {
      const verdict = await policy.count(request('/', {}, address));
      return verdict && [verdict.isTaken, verdict.remaining];
    };
    assert.deepEqual(await count('192.0.2.1'), [true, 1]);
    assert.deepEqual(await count('192.0.2.1'), [true, 0]);
    assert.deepEqual(await count('192.0.2.1'), [false, 0]);
    assert.deepEqual(await count('192.0.2.2'), [true, 1]);
  });

  it('counts an IPv6 customer by the /64, and one over IPv4-mapped addresses by the address', async () => {
    const limit = { limit: 1, window: 60 };
    assert.deepEqual(await verdicts(limit, ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1']), [
      true,
      false,
      true,
    ]);
    assert.deepEqual(await verdicts(limit, ['::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1']), [
      true,
      true,
      false,
    ]);
  });

  it('counts by what its key gives, and leaves alone what has none', async () => {
    const policy = createRatePolicy({
      limit: 1,
      window: 60,
      key: ({ headers }) => headers.get('x-user'),
    });
    const count = async (headers: Record<string, string>): Promise<boolean | undefined> =>
      (await policy.count(request('/', headers)))?.isTaken;
    assert.deepEqual(
      [
        await count({ 'X-User': 'ada' }),
        await count({ 'X-User': 'ada' }),
        await count({}),
        await count({ 'X-User': 'bob' }),
      ],
      [true, false, undefined, true],
    );
  });

  it('counts together with those of its name in one store, also one that answers later', async () => {
    const memory = createMemoryExpiringStore();
    const later: ExpiringStore = {
      name: 'later',
      get: async (key) => memory.get(key),
      put: async (...given) => memory.put(...given),
      extend: async (...given) => memory.extend(...given),
      remove: async (...given) => memory.remove(...given),
      removeGroup: async (group) => memory.removeGroup(group),
      take: async (...given) => memory.take(...given),
      settle: async (...given) => memory.settle(...given),
    };
    const first = createRatePolicy({ limit: 1, window: 60, store: memory, name: 'a' });
    const second = createRatePolicy({ limit: 1, window: 60, store: later, name: 'a' });
    const other = createRatePolicy({ limit: 1, window: 60, store: later, name: 'b' });
    const taken = [await first.count(request()), await second.count(request()), await other.count(request())];
    assert.deepEqual(
      taken.map((verdict) => verdict?.isTaken),
      [true, false, true],
    );
  });

  it('says what it did in the headers of the draft, and by 429 with the time to wait', async () => {
    const policy = createRatePolicy({ limit: 3, window: 10, name: 'search' });
    const verdict = await policy.count(request());
    assert.ok(verdict);
    const { headers } = new HttpResponse('x');
    policy.describe(headers, verdict);
    assert.equal(headers.get('ratelimit-policy'), '"search";q=3;w=10');
    assert.equal(headers.get('ratelimit'), '"search";r=2;t=10');
    const refusal = policy.refusal({ isTaken: false, remaining: 0, endsIn: 7 }, { described: true });
    assert.equal(refusal.status, 429);
    assert.equal(new Headers(refusal.headers as Record<string, string>).get('retry-after'), '7'); // as it is sent
  });

  it('refuses options that make no limit', () => {
    const good = { limit: 1, window: 1 };
    for (const bad of [
      { limit: 0 },
      { limit: 1.5 },
      { window: 0 },
      { window: Number.NaN },
      { name: '' },
      { name: 'a"b' },
      { name: 'x'.repeat(65) },
    ])
      assert.throws(
        () => createRatePolicy({ ...good, ...bad }),
        hasCode('WEB_BAD_OPTION'),
        JSON.stringify(bad),
      );
  });
});

describe('checks of health', () => {
  it('fail by throwing, by rejecting, by false and by taking too long, and never fail the others', async () => {
    let stopped = false;
    const found = await runChecks(
      {
        fine: () => 'anything',
        empty: () => undefined,
        no: () => false,
        throws: () => {
          throw new Error('down');
        },
        rejects: async () => Promise.reject(new TypeError('gone')),
        hangs: (signal) =>
          new Promise(() => {
            signal.addEventListener('abort', () => (stopped = true), { once: true });
          }),
      },
      20,
    );
    const said = Object.fromEntries([...found].map(([name, { status, error }]) => [name, error ?? status]));
    assert.deepEqual(said, {
      fine: 'ok',
      empty: 'ok',
      no: 'the check said no',
      throws: 'Error: down',
      rejects: 'TypeError: gone',
      hangs: 'took longer than 20 ms',
    });
    assert.equal(stopped, true);
  });

  it('say of a thrown value that is no error what it is, in at most 200 characters', async () => {
    const found = await runChecks(
      {
        long: () => {
          throw new Error('x'.repeat(1000));
        },
        odd: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- what others throw
          throw { toString: () => assert.fail('foreign code ran') };
        },
      },
      1000,
    );
    assert.equal(found.get('long')?.error?.length, 200);
    assert.equal(found.get('odd')?.status, 'failed');
  });
});

describe('a content security policy', () => {
  const write = (own: Parameters<typeof createPolicyWriter>[0], from = request()): Record<string, string> =>
    Object.fromEntries(
      createPolicyWriter(own)(from)
        .split('; ')
        .map((directive) => [directive.split(' ')[0] ?? '', directive]),
    );

  it('is the default with what is given in its place, and without what is null', () => {
    assert.deepEqual(Object.keys(write({})), Object.keys(defaultPolicy));
    const own = write({ 'script-src': ['https://cdn.example'], 'style-src': null, sandbox: [] });
    assert.equal(own['script-src'], 'script-src https://cdn.example');
    assert.equal(own['style-src'], undefined);
    assert.equal(own['sandbox'], 'sandbox');
  });

  it('names the nonce of a request that has one, and only then', () => {
    const [one, other] = [request(), request()];
    const nonce = cspNonce(one);
    assert.equal(cspNonce(one), nonce);
    assert.notEqual(cspNonce(request()), nonce);
    assert.equal(write({}, one)['script-src'], `script-src 'self' 'nonce-${nonce}'`);
    assert.equal(write({ 'style-src': ["'none'"] }, one)['style-src'], `style-src 'nonce-${nonce}'`);
    assert.equal(write({}, one)['img-src'], "img-src 'self' data:");
    assert.equal(write({}, other)['script-src'], "script-src 'self'");
  });

  it('refuses names and sources that would begin another directive or header', () => {
    for (const [name, source] of [
      ['script-src', "'self'; object-src *"],
      ['script-src', 'a b'],
      ['script-src', 'a,b'],
      ['script-src', ''],
      ['script-src', 'x\r\nSet-Cookie: a=b'],
      ['script src', "'self'"],
      ['Script-Src', "'self'"],
      ['', "'self'"],
    ] as const)
      assert.throws(
        () => createPolicyWriter({ [name]: [source] }),
        hasCode('WEB_BAD_OPTION'),
        `${name} ${source}`,
      );
  });

  it('needs a request for its nonce', () => {
    assert.throws(() => cspNonce(), hasCode('WEB_NO_REQUEST'));
  });
});
