import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { HttpRequest } from '#core/http';
import { createMemoryExpiringStore, type ExpiringStore } from '#framework/security';
import { createRateCounter, limitRate, type RateLimitOptions } from './rate-limit.js';

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

describe('a rate limit', () => {
  const verdicts = async (options: RateLimitOptions, addresses: readonly string[]): Promise<boolean[]> => {
    const countOne = createRateCounter(options);
    const taken: boolean[] = [];
    for (const address of addresses)
      taken.push((await countOne(request('/', {}, address)))?.isTaken === true);
    return taken;
  };

  it('allows its number of requests, separately for each client, and reports the remaining ones', async () => {
    const countOne = createRateCounter({ limit: 2, window: 60 });
    const count = async (address: string): Promise<unknown> => {
      const verdict = await countOne(request('/', {}, address));
      return verdict && [verdict.isTaken, verdict.fields['RateLimit']];
    };
    assert.deepEqual(await count('192.0.2.1'), [true, '"default";r=1;t=60']);
    assert.deepEqual(await count('192.0.2.1'), [true, '"default";r=0;t=60']);
    assert.deepEqual(await count('192.0.2.1'), [false, '"default";r=0;t=60']);
    assert.deepEqual(await count('192.0.2.2'), [true, '"default";r=1;t=60']);
  });

  it('counts IPv6 customers by /64, and IPv4-mapped addresses by the address', async () => {
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

  it('counts by the returned key, and ignores requests without one', async () => {
    const countOne = createRateCounter({
      limit: 1,
      window: 60,
      key: ({ headers }) => headers.get('x-user'),
    });
    const count = async (headers: Record<string, string>): Promise<boolean | undefined> =>
      (await countOne(request('/', headers)))?.isTaken;
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

  it('shares its count with limits of the same name in one store, even a slow one', async () => {
    const memory = createMemoryExpiringStore();
    const later: ExpiringStore = {
      name: 'later',
      get: async (key) => memory.get(key),
      put: async (...given) => memory.put(...given),
      extend: async (...given) => memory.extend(...given),
      remove: async (...given) => memory.remove(...given),
      take: async (...given) => memory.take(...given),
      settle: async (...given) => memory.settle(...given),
    };
    const first = createRateCounter({ limit: 1, window: 60, store: memory, name: 'a' });
    const second = createRateCounter({ limit: 1, window: 60, store: later, name: 'a' });
    const other = createRateCounter({ limit: 1, window: 60, store: later, name: 'b' });
    const taken = [await first(request()), await second(request()), await other(request())];
    assert.deepEqual(
      taken.map((verdict) => verdict?.isTaken),
      [true, false, true],
    );
  });

  it('counts clients without an address together, so that it always applies, and Node warns once', async () => {
    const warnings: string[] = [];
    const keep = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', keep);
    const countOne = createRateCounter({ limit: 1, window: 60 });
    const stranger = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'example.org'],
      httpVersion: '1.1',
      peer: { address: undefined, port: 0, encrypted: false },
    });
    const verdicts = [await countOne(stranger), await countOne(stranger)];
    assert.deepEqual(
      verdicts.map((verdict) => verdict?.isTaken),
      [true, false],
    );
    await new Promise(setImmediate);
    process.off('warning', keep);
    assert.deepEqual(warnings, ['RateLimitWarning']);
  });

  it("reports its state in the draft's headers", async () => {
    const verdict = await createRateCounter({ limit: 3, window: 10, name: 'search' })(request());
    assert.deepEqual(verdict?.fields, {
      'RateLimit-Policy': '"search";q=3;w=10',
      RateLimit: '"search";r=2;t=10',
    });
  });

  it('refuses options that set no limit', () => {
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
      assert.throws(() => limitRate({ ...good, ...bad }), hasCode('OPTIONS_BAD_VALUE'), JSON.stringify(bad));
  });
});
