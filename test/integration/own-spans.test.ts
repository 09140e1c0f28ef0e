import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApp } from 'lookback';
import {
  breakdownOf,
  findingsOf,
  type ProfileRecord,
  startSpan,
  timeCategories,
  withSpan,
} from 'lookback/profiler';
import { local } from '../local-peer.js';

const queries = channel('lookback:persistence:query');

describe("a request's time", () => {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    logHandlers: [],
  });
  after(() => app.close());

  const recordOf = async (path: string): Promise<ProfileRecord> => {
    const answer = await app.fetch(path, local);
    await answer.text();
    const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
    assert.equal(found?.kind, 'found');
    return found.record;
  };
  const ownSpansOf = ({ timeline }: ProfileRecord): ProfileRecord['timeline'] =>
    timeline.filter(({ section }) => section === 'spans');

  it("includes the application's own spans, failed ones and those that never ended", async () => {
    app.get('/own', async () => {
      const span = startSpan('read feed', { url: 'http://feed.test/', password: 'hunter2' });
      await withSpan('inner', () => nextTurn());
      span.end({ items: 3 });
      span.end({ items: 4 });
      assert.throws(() => withSpan('sync', () => assert.fail('no')));
      await assert.rejects(withSpan('async', () => Promise.reject(new Error('no'))));
      assert.equal(
        withSpan('value', () => 42),
        42,
      );
      startSpan('left open');
      return 'done';
    });
    const record = await recordOf('/own');
    const spans = ownSpansOf(record);
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['read feed', 'inner', 'sync', 'async', 'value', 'left open'],
    );
    const [feed, inner, sync, async_, value, open] = spans;
    assert.match(feed?.detail ?? '', /items: 3/);
    assert.doesNotMatch(JSON.stringify(record), /hunter2/);
    assert.ok((feed?.durationMs ?? 0) >= (inner?.durationMs ?? 1));
    for (const failed of [sync, async_]) assert.match(failed?.detail ?? '', /failed: true/);
    for (const ended of [feed, inner, value]) assert.doesNotMatch(ended?.detail ?? '', /failed/);
    assert.deepEqual(
      spans.map((span) => span.open === true),
      [false, false, false, false, false, true],
    );
    assert.equal(open?.name, 'left open');
    assert.ok(breakdownOf(record).app > 0);
  });

  it('keeps the spans of concurrent requests apart', async () => {
    let running = 0;
    app.get('/beside/{name}', async ({ params }) => {
      const name = params.name;
      running++;
      await withSpan(name, async () => {
        while (running < 3) await nextTurn();
      });
      return 'done';
    });
    const records = await Promise.all(['/beside/a', '/beside/b', '/beside/c'].map(recordOf));
    assert.deepEqual(
      records.map((record) => ownSpansOf(record).map(({ name }) => name)),
      [['a'], ['b'], ['c']],
    );
  });

  it('has at most 200 of them, and spans outside a recorded request do nothing', async () => {
    app.get('/many', () => {
      for (let at = 0; at < 250; at++) startSpan(`span ${at}`).end();
      return 'done';
    });
    const record = await recordOf('/many');
    assert.equal(ownSpansOf(record).length, 200);
    assert.deepEqual((record.sections['spans'] as { more: number }).more, 50); // the collector's section
    startSpan('nowhere').end();
    assert.equal(
      withSpan('nowhere', () => 'value'),
      'value',
    );
  });

  it('is divided identically in the list row and the record, including all queries in a loop', async () => {
    app.get('/loop', async () => {
      for (let at = 0; at < 260; at++)
        queries.publish({
          sql: 'select 1',
          params: [at],
          durationMs: 0.01,
          connection: 'main',
          callSite: [],
        });
      queries.publish({ sql: 'select 2', params: [], durationMs: 0.2, connection: 'main', callSite: [] });
      await nextTurn();
      return 'done';
    });
    const record = await recordOf('/loop');
    const row = (await app.profiler?.list({ token: record.token }))?.rows[0];
    assert.ok(row !== undefined);
    const [ofRecord, ofRow] = [breakdownOf(record), breakdownOf(row)];
    for (const kind of timeCategories) assert.ok(Math.abs(ofRecord[kind] - ofRow[kind]) < 0.01, kind);
    const rest = record.timeline.find(({ name }) => name === '61 further queries');
    assert.ok((rest?.busyMs ?? 0) > 0, 'omitted queries count too');
    assert.ok(ofRecord.database > 0);
  });

  it('has a finding for a promise in the result that was not awaited, without running getters to find it', async () => {
    app.get('/promise', () => ({ user: Promise.resolve('Ada'), deep: [{ author: Promise.resolve('Bob') }] }));
    app.get('/calm', async () => ({
      user: await Promise.resolve('Ada'),
      get late() {
        return Promise.resolve('never looked at');
      },
    }));
    const textsOf = async (path: string): Promise<string[]> =>
      findingsOf(await recordOf(path))
        .map(({ text }) => text)
        .filter((text) => text.startsWith('The promise')); // in addition to the error about the promise in the JSON
    assert.deepEqual(await textsOf('/promise'), [
      'The promise “user” in the result was not awaited',
      'The promise “deep.0.author” in the result was not awaited',
    ]);
    assert.deepEqual(await textsOf('/calm'), []);
  });

  it('has a finding that links to its query', async () => {
    app.get('/slow', async () => {
      const begun = performance.now();
      while (performance.now() - begun < 200) await nextTurn();
      queries.publish({
        sql: 'select pg_sleep(1)',
        params: [],
        durationMs: performance.now() - begun,
        connection: 'main',
        callSite: [],
      });
      return 'done';
    });
    const record = await recordOf('/slow');
    const finding = findingsOf(record).find(({ text }) => text.startsWith('1 query took'));
    assert.deepEqual(finding?.target, { panel: 'db', anchor: 'query-1' });
    const page = await (await app.fetch(`/_profiler/${record.token}?panel=db`, local)).text();
    assert.match(page, /id="query-1"/);
  });
});
