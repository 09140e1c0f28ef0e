import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { pageRequest, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain } from '../../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../../test/profiler/sample-reader.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findHistory } from './find-history.js';
import { showRecord } from './show-record.js';

describe("an error's history", () => {
  const route = (id: string) => ({
    name: 'cart',
    path: '/cart/{id}',
    parameters: [{ name: 'id', value: { type: 'string', text: id } as const }],
    trace: null,
    allow: [],
  });
  const exception = flattenError(new Error('It broke'), {});
  const failed = { ...plain, token: 'abc003', startedAt: 50_000, route: route('x'), exception };
  const request = { ...plain.request, path: '/cart/8' };
  const good = { ...plain, token: 'abc002', startedAt: 30_000, route: route('8'), request };
  const asked: unknown[] = [];
  const historyIn = async (
    records: readonly ProfileRecord[],
    { count = 3, lastAt = 50_000, complete = true } = {},
  ) => {
    const reader = createSampleReader(records);
    const totals: typeof reader.totals = async (query) => {
      asked.push(query?.where);
      const group = { values: [], count, failed: 3, firstAt: 0, lastAt, durations: [], steps: [] };
      return { groups: [{ ...group, lastToken: 'abc003' }], complete };
    };
    return findHistory(siteOf(records, { reader: { ...reader, totals } }), failed);
  };

  it('counts its occurrences, and has the last successful request on its route with the differences from it', async () => {
    assert.deepEqual(await historyIn([failed, good]), {
      seen: '3 times, first 1 min ago',
      lastGood: {
        text: 'GET /cart/8 → 200, 30 s ago',
        href: '/_profiler/abc002',
        comparison: '/_profiler/compare/abc003/abc002',
        differences: [{ text: 'id', sides: ['"8"', '"x"'] }],
      },
    });
    assert.match(JSON.stringify(asked), /"fingerprint"/);
    assert.deepEqual(await historyIn([failed]), { seen: '3 times, first 1 min ago', lastGood: null });
  });

  it('counts its occurrences in ten equal parts of the time since the first', async () => {
    const reader = createSampleReader([failed]);
    const totals: typeof reader.totals = async (query) => {
      const { steps } = query ?? {};
      const counts = [40, 55, 100]
        .map((at) => at * 1000)
        .filter((at) => steps === undefined || at >= steps.from);
      const parts = Array.from({ length: steps?.count ?? 0 }, (_, part) => {
        const from = (steps?.from ?? 0) + part * (steps?.stepMs ?? 0);
        return [counts.filter((at) => at >= from && at < from + (steps?.stepMs ?? 0)).length, 0] as const;
      });
      const group = { values: [], count: 3, failed: 3, firstAt: 40_000, lastAt: 100_000, durations: [] };
      return { groups: [{ ...group, steps: parts, lastToken: 'abc003' }], complete: true };
    };
    const site = siteOf([failed], { reader: { ...reader, totals }, now: () => 100_000 });
    assert.deepEqual((await findHistory(site, failed))?.counts, [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('counts the request itself if in flight, and says if the store could not count all', async () => {
    assert.equal((await historyIn([failed], { lastAt: 40_000 }))?.seen, '4 times, first 1 min ago');
    assert.equal((await historyIn([failed], { count: 1 }))?.seen, 'once, in this store');
    assert.equal((await historyIn([failed], { complete: false }))?.seen, 'at least 3 times');
  });

  it('mentions no last successful request unless all records could be searched', async () => {
    const reader = createSampleReader([failed]);
    const list: typeof reader.list = async () => ({ rows: [], next: null, complete: false });
    const history = await findHistory(siteOf([failed], { reader: { ...reader, list } }), failed);
    assert.deepEqual(history, { seen: 'once, in this store' });
  });

  it('is shown in the exception panel', async () => {
    const pageOf = async (records: readonly ProfileRecord[]) =>
      bodyOf(await showRecord(siteOf(records), pageRequest('/?panel=exception'), 'abc003'));
    const html = await pageOf([failed, good]);
    assert.match(html, /href="\/_profiler\/compare\/abc003\/abc002"/);
    assert.match(
      html,
      /id: <span class="worked">&quot;8&quot;<\/span> → <span class="failed">&quot;x&quot;<\/span>/,
    );
    assert.match(await pageOf([failed]), /never before, in this store/);
  });
});
