import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
import { HttpRequest, HttpResponse } from '#http';
import { createMemoryExpiringStore, type ExpiringStore } from '#security';
import { createRatePolicy, type RateLimitOptions } from './rate-limit.js';

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

describe('a policy of requests in a window', () => {
  const verdicts = async (options: RateLimitOptions, addresses: readonly string[]): Promise<boolean[]> => {
    const policy = createRatePolicy(options);
    const taken: boolean[] = [];
    for (const address of addresses)
      taken.push((await policy.count(request('/', {}, address)))?.isTaken === true);
    return taken;
  };

  it('takes as many as it allows, for each client its own, and reports how many are left', async () => {
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
