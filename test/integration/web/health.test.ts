import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type App, createApp } from 'lookback';
import { health } from 'lookback/web';
import { overTransports } from './over-transports.js';
import { until } from '../../until.js';

const local = { peer: { address: '127.0.0.1' } };

interface Told {
  readonly status: string;
  readonly checks?: Readonly<Record<string, { status: string; error?: string; milliseconds: number }>>;
}

overTransports(
  'health',
  () => ({
    options: { extensions: [health({ checks: { database: () => true, cache: async () => undefined } })] },
  }),
  (bench) => {
    it('both paths answer GET and HEAD, and the response is not cached', async () => {
      const live = await bench().ask('/healthz');
      assert.deepEqual([live.status, JSON.parse(live.text)], [200, { status: 'ok' }]);
      assert.equal(live.field('cache-control'), 'no-store');
      assert.equal(live.field('content-type'), 'application/json');
      const ready = await bench().ask('/readyz');
      assert.equal(ready.status, 200);
      const { checks } = JSON.parse(ready.text) as Told;
      assert.deepEqual(
        Object.entries(checks ?? {}).map(([name, { status }]) => [name, status]),
        [
          ['database', 'ok'],
          ['cache', 'ok'],
        ],
      );
      const head = await bench().ask('/readyz', { method: 'HEAD' });
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      assert.equal((await bench().ask('/readyz', { method: 'POST' })).status, 404);
    });

    it('clients behind a proxy get no details', async () => {
      for (const name of ['x-forwarded-for', 'forwarded', 'via']) {
        const answer = await bench().ask('/readyz', { headers: { [name]: 'for=192.0.2.1' } });
        assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { status: 'ok' }], name);
      }
    });
  },
);

describe('health', () => {
  const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;

  it('a check that throws, rejects, returns false or takes too long causes a 503, and the details say why', async () => {
    let aborted = false;
    const app = createApp(quiet).use(
      health({
        timeout: 30,
        checks: {
          fine: () => 'anything',
          throws: () => {
            throw new Error('no database');
          },
          rejects: () => Promise.reject(new Error('no cache')),
          refuses: () => false,
          hangs: (signal) =>
            new Promise(() => {
              signal.addEventListener('abort', () => (aborted = true));
            }),
        },
      }),
    );
    const answer = await app.fetch('/readyz', local);
    assert.equal(answer.status, 503);
    const { status, checks } = (await answer.json()) as Told;
    assert.equal(status, 'failed');
    assert.deepEqual(
      Object.entries(checks ?? {}).map(([name, check]) => [name, check.status, check.error]),
      [
        ['fine', 'ok', undefined],
        ['throws', 'failed', 'Error: no database'],
        ['rejects', 'failed', 'Error: no cache'],
        ['refuses', 'failed', 'the check returned false'],
        ['hangs', 'failed', 'took longer than 30 ms'],
      ],
    );
    assert.equal(aborted, true, 'a check that times out is aborted');
    const stranger = await app.fetch('/readyz', { peer: { address: '192.0.2.1' } });
    assert.deepEqual([stranger.status, await stranger.json()], [503, { status: 'failed' }]);
    const proxied = { headers: { 'cf-ray': '8f2b-FRA' }, peer: { address: '127.0.0.1' } };
    assert.deepEqual(await (await app.fetch('/readyz', proxied)).json(), { status: 'failed' }, 'by a proxy');
    assert.equal((await app.fetch('/healthz')).status, 200, '/healthz needs only the process');
  });

  it('concurrent requests run a check once, and a fresh outcome is reused', async () => {
    const counting = (freshFor: number): { app: App; runs: () => number } => {
      let runs = 0;
      const checks = { counted: async () => nextTurn(++runs) };
      return { app: createApp(quiet).use(health({ freshFor, checks })), runs: () => runs };
    };
    const fresh = counting(60_000);
    await Promise.all(Array.from({ length: 20 }, () => fresh.app.fetch('/readyz')));
    await fresh.app.fetch('/readyz');
    assert.equal(fresh.runs(), 1);
    const short = counting(20);
    await until(async () => {
      await short.app.fetch('/readyz');
      return short.runs() > 1;
    }, 'an old outcome is not');
  });

  it('is no longer ready once the application begins to close', async () => {
    const app = createApp(quiet).use(health({ showsDetails: () => true }));
    assert.equal((await app.fetch('/readyz')).status, 200);
    await app.close();
    const answer = await app.fetch('/readyz');
    assert.deepEqual([answer.status, await answer.json()], [503, { status: 'stopping', checks: {} }]);
    assert.equal((await app.fetch('/healthz')).status, 200);
  });

  it('answers for hosts that are not trusted, but not on other paths', async () => {
    const app = createApp({
      ...quiet,
      configuration: { ...quiet.configuration, debug: false, trustedHosts: ['example.org'] },
    });
    app.use(health());
    const probe = { headers: { host: '10.0.0.7:8000' } };
    assert.equal((await app.fetch('/healthz', probe)).status, 200);
    assert.equal((await app.fetch('/readyz', probe)).status, 200);
    assert.equal((await app.fetch('/other', probe)).status, 400);
  });

  it('requests are not recorded', async () => {
    const app = createApp({
      configuration: { profilerStore: 'memory:', debug: true },
      logHandlers: [],
      extensions: [health()],
    });
    for (const path of ['/healthz', '/readyz'])
      assert.equal((await app.fetch(path, local)).headers.get('x-debug-token'), null, path);
    assert.equal(app.profiler?.counters().made, 0);
    await app.close();
  });
});
