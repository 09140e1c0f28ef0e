import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpResponse } from 'lookback';
import { createMemoryExpiringStore, type ExpiringStore } from 'lookback/security';
import { limitRate, rateLimit } from 'lookback/web';
import { overTransports } from './over-transports.js';
import { until } from '../../until.js';

const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;

overTransports(
  'rate limits',
  () => ({
    options: { extensions: [rateLimit({ limit: 3, window: 60, paths: ['/api'], name: 'api' })] },
    define: (app) => {
      app.get('/api/a', () => 'a');
      app.get('/free', () => 'free');
      app.group({ path: '/few', around: [limitRate({ limit: 2, window: 30, name: 'few' })] }, (few) => {
        few.get('/a', () => 'a');
        few.get('/b', () => 'b');
      });
    },
  }),
  (bench) => {
    it('count down in the headers, and end in a 429 problem document', async () => {
      const headers = { accept: 'application/json' };
      for (const left of [2, 1, 0]) {
        const answer = await bench().ask(left === 1 ? '/api/missing' : '/api/a', { headers });
        assert.equal(answer.status, left === 1 ? 404 : 200);
        assert.equal(answer.field('ratelimit-policy'), '"api";q=3;w=60');
        assert.match(answer.field('ratelimit') ?? '', new RegExp(`^"api";r=${left};t=(?:60|5\\d)$`));
      }
      const refused = await bench().ask('/api/a', { headers });
      assert.equal(refused.status, 429);
      assert.match(refused.field('retry-after') ?? '', /^(?:60|5\d)$/);
      assert.match(refused.field('ratelimit') ?? '', /^"api";r=0;t=\d+$/);
      assert.equal(refused.field('content-type'), 'application/problem+json');
      const problem = JSON.parse(refused.text) as { status: number; title: string };
      assert.deepEqual([problem.status, problem.title], [429, 'Too Many Requests']);
      const free = await bench().ask('/free');
      assert.deepEqual([free.status, free.field('ratelimit')], [200, undefined]);
    });

    it("count a group's routes together", async () => {
      const first = await bench().ask('/few/a');
      assert.match(first.field('ratelimit') ?? '', /^"few";r=1;t=\d+$/);
      assert.equal((await bench().ask('/few/b')).status, 200);
      const refused = await bench().ask('/few/a');
      assert.equal(refused.status, 429);
      assert.match(refused.field('ratelimit') ?? '', /^"few";r=0;t=\d+$/);
      assert.equal(refused.field('ratelimit-policy'), '"few";q=2;w=30');
    });
  },
);

describe('rate limits', () => {
  const from = (address: string): { peer: { address: string } } => ({ peer: { address } });

  it('clients are distinguished by their address, IPv6 ones by their network', async () => {
    const app = createApp(quiet)
      .use(rateLimit({ limit: 1, window: 60 }))
      .get('/', () => 'x');
    const status = async (address: string): Promise<number> => (await app.fetch('/', from(address))).status;
    assert.equal(await status('192.0.2.1'), 200);
    assert.equal(await status('::ffff:192.0.2.1'), 429, 'the same address in IPv6 notation');
    assert.equal(await status('192.0.2.2'), 200);
    assert.equal(await status('2001:db8::1'), 200);
    assert.equal(await status('2001:db8:0:0:ffff::2'), 429, 'the same /64');
    assert.equal(await status('2001:db8:0:1::1'), 200);
    assert.equal((await app.fetch('/')).status, 200);
    assert.equal((await app.fetch('/')).status, 429, 'clients without an address share one counter');
  });

  it('a key decides what is counted, and who is not limited', async () => {
    const app = createApp(quiet).get('/', () => 'x');
    app.use(rateLimit({ limit: 1, window: 60, key: ({ headers }) => headers.get('x-tenant') }));
    const status = async (tenant?: string): Promise<number> =>
      (await app.fetch('/', tenant === undefined ? {} : { headers: { 'x-tenant': tenant } })).status;
    assert.deepEqual([await status('a'), await status('b'), await status('a')], [200, 200, 429]);
    assert.deepEqual([await status(), await status()], [200, 200]);
  });

  it('processes that share a store count together, differently named policies do not', async () => {
    const store = createMemoryExpiringStore();
    const make = (name: string): ReturnType<typeof createApp> =>
      createApp(quiet)
        .use(rateLimit({ limit: 2, window: 60, store, name }))
        .get('/', () => 'x');
    const [one, two, other] = [make('shared'), make('shared'), make('other')];
    const status = async (app: ReturnType<typeof createApp>): Promise<number> =>
      (await app.fetch('/', from('192.0.2.1'))).status;
    assert.deepEqual(
      [await status(one), await status(two), await status(one), await status(two)],
      [200, 200, 429, 429],
    );
    assert.equal(await status(other), 200);
  });

  it('an asynchronous store is awaited, and concurrent requests do not pass together', async () => {
    const memory = createMemoryExpiringStore();
    const later: ExpiringStore = {
      ...memory,
      take: async (key, limit, lifetime) => {
        await new Promise(setImmediate);
        return memory.take(key, limit, lifetime);
      },
      settle: async (key, how) => memory.settle(key, how),
    };
    const app = createApp(quiet).use(rateLimit({ limit: 3, window: 60, store: later }));
    app.get('/', () => 'x');
    app.get('/around', () => 'y', {
      around: [limitRate({ limit: 1, window: 60, store: later, name: 'inner', key: () => 'all' })],
    });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await app.fetch('/', from('192.0.2.1'))).status),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 3);
    const around = [
      await app.fetch('/around', from('192.0.2.2')),
      await app.fetch('/around', from('192.0.2.3')),
    ];
    assert.deepEqual(
      around.map(({ status }) => status),
      [200, 429],
    );
    assert.match(
      around[0]?.headers.get('ratelimit') ?? '',
      /"inner";r=0;t=(?:60|5\d).*"default";r=2;t=(?:60|5\d)/,
    );
  });

  it('a window begins with the first request and ends after its time', async () => {
    const app = createApp(quiet)
      .use(rateLimit({ limit: 1, window: 1 }))
      .get('/', () => 'x');
    const ask = async (): Promise<Response> => app.fetch('/', from('192.0.2.1'));
    assert.equal((await ask()).status, 200);
    // On a busy machine the window may end before the next request.
    const refused = await until(async () => {
      const answer = await ask();
      return answer.status === 429 && answer;
    });
    assert.equal(refused.headers.get('retry-after'), '1');
    await until(async () => (await ask()).status === 200);
  });

  it('a store keeps hashes, but no address', async () => {
    const keys: string[] = [];
    const memory = createMemoryExpiringStore();
    const store: ExpiringStore = {
      ...memory,
      take: (key, ...rest) => (keys.push(key), memory.take(key, ...rest)),
    };
    const app = createApp(quiet).use(rateLimit({ limit: 1, window: 60, store }));
    app.get('/', () => HttpResponse.empty());
    await app.fetch('/', from('192.0.2.77'));
    assert.equal(keys.length, 1);
    assert.match(keys[0] ?? '', /^rate:[0-9a-f]{64}$/);
  });

  it('invalid limits are refused', () => {
    for (const bad of [
      { limit: 0, window: 1 },
      { limit: 1.5, window: 1 },
      { limit: 1, window: 0 },
      { limit: 1, window: 1, name: 'a"b' },
    ])
      assert.throws(() => rateLimit(bad), { code: 'OPTIONS_BAD_VALUE' });
    assert.throws(() => limitRate({ limit: -1, window: 1 }), { code: 'OPTIONS_BAD_VALUE' });
  });
});
