import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createApp } from 'lookback';
import { findingsOf, parseQuery, type ProfileSummary } from 'lookback/profiler';
import { createTestClient } from 'lookback/testing';
import { until } from '../until.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-findings-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const store of ['memory:', `sqlite:${join(folder, 'profiler.db')}`])
  describe(`stored findings, ${store.split(':', 1).join()}`, () => {
    const app = createApp({
      configuration: { env: 'dev', debug: true, profilerStore: store },
      logHandlers: [],
    });
    app.get('/calm', () => 'calm');
    app.get('/falls', () => {
      throw new TypeError('The "kind":"n+1" shelf fell');
    });
    app.get('/later', ({ log }) => {
      setTimeout(() => log.error('It was too late.'), 50);
      return 'soon';
    });
    const client = createTestClient(app);
    after(() => app.close());
    const rows = async (query: string): Promise<readonly ProfileSummary[]> => {
      const { where, problems } = parseQuery(query);
      assert.deepEqual(problems, []);
      return (await app.profiler?.list({ where }))?.rows ?? [];
    };

    it('are in the record, in its row, and found by their kind, not by their text', async () => {
      await client.get('/calm');
      const record = await (await client.get('/falls')).record();
      const [first] = record?.findings ?? []; // on a busy machine, another finding may come first
      assert.deepEqual([first?.kind, first?.level, first?.section], ['error', 'error', 'exception']);
      assert.match(record?.findings?.[0]?.location ?? '', /stored-findings\.test\.[jt]s:\d+$/);
      assert.equal(findingsOf(record ?? {})[0]?.text, record?.findings?.[0]?.text);
      for (const query of ['finding:error', 'finding:err*', 'finding:ERROR,cut', '-finding:cut has:error']) {
        const found = await rows(query);
        assert.deepEqual(
          found.map(({ path }) => path),
          ['/falls'],
          query,
        );
        assert.equal(found[0]?.findings[0]?.kind, 'error');
      }
      assert.deepEqual((await rows('finding:n+1')).length, 0);
      assert.deepEqual(await rows('-finding:* finding:error'), []);
    });

    it('change with errors logged after the response', async () => {
      const token = (await (await client.get('/later')).record())?.token ?? '';
      await until(async () => (await rows('finding:log-error')).length === 1);
      const found = await app.profiler?.find(token);
      assert.ok(found?.kind === 'found');
      assert.match(findingsOf(found.record)[0]?.text ?? '', /^1 error was logged: It was too late\./);
    });
  });
