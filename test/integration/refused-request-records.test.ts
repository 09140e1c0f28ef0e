import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type App, createApp, ForbiddenError, requestEvent } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { local } from '../local-peer.js';

/** An application whose request listener, which runs after the router like a firewall, refuses `/closed/…` now or later. */
function makeApp(): App {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    logHandlers: [],
  });
  app.on(
    requestEvent,
    ({ request }) => {
      if (request.path === '/closed/now') throw new ForbiddenError('No.');
      if (request.path === '/closed/later') return Promise.reject(new ForbiddenError('No.'));
      return undefined;
    },
    { priority: -1000 },
  );
  app.get('/closed/{when}', () => 'never', { name: 'closed' });
  return app;
}

describe('P3: a request refused after the router', () => {
  it('shows the route that it matched, with its parameters, over a socket and by fetch', async () => {
    const app = makeApp();
    const { url } = await app.listen({ port: 0 });
    try {
      for (const path of ['/closed/now', '/closed/later'])
        for (const answer of [await fetch(url + path), await app.fetch(path, local)]) {
          assert.equal(answer.status, 403);
          await answer.text();
          const token = answer.headers.get('x-debug-token') ?? '';
          const record = (await (await app.fetch(`/_profiler/${token}.json`, local)).json()) as ProfileRecord; // as its schema says
          assert.deepEqual([record.route?.name, record.route?.path], ['closed', '/closed/{when}']);
          assert.deepEqual(
            record.route?.parameters.map(({ name, value }) => [name, value.text]),
            [['when', path.slice('/closed/'.length)]],
          );
          assert.equal(record.controller, null);
          const list = await (await app.fetch('/_profiler/?route=clos*', local)).text();
          assert.ok(list.includes(token), 'the record can be found by route');
        }
    } finally {
      await app.close();
    }
  });
});
