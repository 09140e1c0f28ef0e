import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as client from 'prom-client';
import { type App, createApp } from 'lookback';
import { prometheus } from 'lookback/telemetry';

describe('metrics for Prometheus', () => {
  it('count requests by route, records and the loop, and are not recorded themselves', async () => {
    const metrics = prometheus({ client, profiler: () => app.profiler });
    const app: App = createApp({
      configuration: { env: 'dev', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
      extensions: [metrics],
    });
    app.get('/shelves/{name}', ({ params }) => params);
    app.get('/fails', () => {
      throw new Error('on purpose');
    });
    const { url } = await app.listen({ port: 0 });
    try {
      for (const path of ['/shelves/a', '/shelves/b', '/fails', '/nowhere'])
        await (await fetch(url + path)).text();
      await fetch(url, { method: 'BREW' }).catch(() => undefined);
      await app.profiler?.flush();
      const response = await fetch(`${url}/metrics`);
      assert.match(
        response.headers.get('content-type') ?? '',
        /^application\/openmetrics-text; version=1\.0\.0/,
      );
      assert.equal(response.headers.get('x-debug-token'), null);
      const text = await response.text();
      assert.match(text, /# EOF\n$/);
      const samples = samplesOf(text);
      const counts = samples
        .filter(({ name }) => name === 'http_server_request_duration_seconds_count')
        .map(({ labels, value }) => [
          labels['http_request_method'],
          labels['http_route'],
          labels['http_response_status_code'],
          value,
        ]);
      assert.deepEqual(
        counts.filter(([method]) => method === 'GET'),
        [
          ['GET', '/shelves/{name}', '200', 2],
          ['GET', '/fails', '500', 1],
          ['GET', '', '404', 1],
        ],
      );
      assert.ok(counts.every(([method]) => method !== 'BREW'));
      assert.ok(samples.some(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds'));
      const made = samples.find(({ name }) => name === 'lookback_records_made_total')?.value ?? 0;
      assert.ok(made >= 4, text);
      const states = samples.filter(({ name }) => name === 'lookback_records');
      assert.equal(
        states.reduce((sum, { value }) => sum + value, 0),
        made,
      );
      const strange = await fetch(`${url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
      assert.equal(strange.status, 404);
      assert.equal((await metrics.render()).contentType, response.headers.get('content-type'));
    } finally {
      await app.close();
    }
  });

  it('are added to a registry of the application, with its bounds of durations', async () => {
    const registry = new client.Registry();
    const own = new client.Counter({ name: 'orders_total', help: 'Orders.', registers: [registry] });
    own.inc(3);
    const metrics = prometheus({ client, registry, buckets: [0.5, 60] });
    const app = createApp({
      configuration: { env: 'test', profilerStore: 'off' },
      logHandlers: [],
      extensions: [metrics],
    });
    app.get('/', () => 'x');
    const { url } = await app.listen({ port: 0 });
    try {
      await (await fetch(url)).text();
      const samples = samplesOf(await (await fetch(`${url}/metrics`)).text());
      assert.equal(samples.find(({ name }) => name === 'orders_total')?.value, 3);
      assert.equal(
        samples.some(({ name }) => name.startsWith('nodejs_')),
        false,
      );
      const bounds = samples
        .filter(({ name }) => name === 'http_server_request_duration_seconds_bucket')
        .map(({ labels }) => labels['le']);
      assert.deepEqual([...new Set(bounds)], ['0.5', '60', '+Inf']);
    } finally {
      await app.close();
    }
  });
});

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function samplesOf(text: string): readonly Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]),
    ),
    value: Number(value),
  }));
}
