import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { createApp, dump } from 'lookback';
import { findingsOf, parseQuery } from 'lookback/profiler';
import { createTestClient } from 'lookback/testing';

const queries = channel('lookback:persistence:query');

function createBlog(): ReturnType<typeof createApp> {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    logHandlers: [],
    profiler: {
      budgets: { '*': { queries: 10 }, 'blog_*': { queries: 2, bytes: 100 }, blog_list: { queries: 5 } },
    },
  });
  const ask = (times: number, durationMs = 1): void => {
    for (let at = 0; at < times; at++)
      queries.publish({ sql: `select ${at} from post`, params: [], durationMs, rows: 1, connection: 'main' });
  };
  app.get('/blog', () => (ask(4), 'posts'), { name: 'blog_list' });
  app.get('/blog/{id}', () => (ask(4), 'x'.repeat(200)), { name: 'blog_show' });
  app.get('/news', () => (ask(11), 'news'), { name: 'news' });
  app.get('/slow', () => (ask(1, 150), dump('slow')), { name: 'slow' });
  return app;
}

const overOf = async (app: ReturnType<typeof createApp>, path: string): Promise<readonly string[]> => {
  const record = await (await createTestClient(app).get(path)).record();
  assert.ok(record);
  return findingsOf(record)
    .map(({ text }) => text)
    .filter((text) => text.startsWith('Over'));
};

describe('route budgets', () => {
  it('come from the longest matching name, number by number, and each exceeded number is a finding', async () => {
    const app = createBlog();
    assert.deepEqual(await overOf(app, '/blog'), []);
    assert.deepEqual(await overOf(app, '/blog/1'), [
      'Over budget: 4 queries; the limit of the route is 2 queries',
      'Over budget: 200 B; the limit of the route is 100 B',
    ]);
    assert.deepEqual(await overOf(app, '/news'), [
      'Over budget: 11 queries; the limit of the route is 10 queries',
    ]);
    await app.close();
  });

  it('are asserted by the test client', async () => {
    const app = createBlog();
    const client = createTestClient(app);
    await client.get('/blog').expectWithinBudget();
    await assert.rejects(
      Promise.resolve(client.get('/blog/1').expectWithinBudget()),
      /Over budget: 4 queries; the limit of the route is 2 queries/,
    );
    await app.close();
  });

  it('are found in the list by has:budget, as dumps and slow queries are by has:dump and has:slow-query', async () => {
    const app = createBlog();
    for (const path of ['/blog', '/blog/1', '/slow']) await (await createTestClient(app).get(path)).record();
    const found = async (text: string): Promise<readonly string[]> => {
      const { where, problems } = parseQuery(text, { collected: app.profiler?.collected ?? [] });
      assert.deepEqual(problems, []);
      const list = await app.profiler?.list({ where });
      return (list?.rows ?? []).map(({ path }) => path);
    };
    assert.deepEqual(await found('has:budget'), ['/blog/1']);
    assert.deepEqual(await found('has:dump'), ['/slow']);
    assert.deepEqual(await found('has:slow-query'), ['/slow']);
    await app.close();
  });
});
