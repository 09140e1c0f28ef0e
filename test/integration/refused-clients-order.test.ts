import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type App, createApp } from 'lookback';
import { local } from '../local-peer.js';

const foreign = { ...local, headers: { 'Sec-Fetch-Site': 'cross-site' } };

function createExample(): App {
  const app = createApp({ configuration: { env: 'test', debug: true, profilerStore: 'memory:' } });
  return app.get('/_profile', () => 'a route of the application', { name: 'near' });
}

/** The routes that a request was compared with, according to its record. */
async function comparedWith(app: App, path: string, init: object): Promise<readonly string[]> {
  assert.equal((await app.fetch(path, init)).status, 404);
  assert.ok(app.profiler !== undefined);
  const { rows } = await app.profiler.list({ origin: path.startsWith('/_profiler') ? 'profiler' : 'app' });
  const token = rows.find((row) => row.url.endsWith(path))?.token;
  const record = await (await app.fetch(`/_profiler/${token}.json`, local)).json();
  const { rows: tried, nearMisses } = record.route.trace;
  return [...tried, ...nearMisses].map(({ name }: { name: string }) => name);
}

describe('a client to which debug output is not shown', () => {
  it('is recognised before its path is matched: the profiler’s routes are not among those tried', async () => {
    const app = createExample();
    try {
      const names = await comparedWith(app, '/_profiler/abcdef', foreign);
      assert.ok(names.includes('near'), names.join());
      assert.deepEqual(
        names.filter((name) => name.startsWith('_profiler')),
        [],
      );
    } finally {
      await app.close();
    }
  });

  it('unlike a local client, which sees profiler routes similar to its path, and no others', async () => {
    const app = createExample();
    try {
      assert.deepEqual(await comparedWith(app, '/nowhere', local), ['near']);
      const names = await comparedWith(app, '/_profiler/abc', local);
      assert.ok(names.includes('_profiler'), names.join());
    } finally {
      await app.close();
    }
  });
});
