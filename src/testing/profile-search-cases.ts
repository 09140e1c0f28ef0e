import assert from 'node:assert/strict';
import { parseQuery } from '#profiler';
import { type StoreCases, collect, keysOf, segment } from './profile-store-check.js';

/** Contract cases for the search of a `ProfileStore`. */
export const searchCases: StoreCases = {
  async 'gives summaries newest first, each bucket separately'(store) {
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from]), await segment(2, [from + 1, from + 2])]);
    await store.write([{ ...(await segment(3, [from + 3])), bucket: 'profiler' }]);
    await store.write([await segment(4, [from + 4])]);
    const { rows, next, complete } = await collect(store);
    assert.deepEqual(
      rows.map(({ key, path }) => [key, path]),
      [
        [from + 4, '/4/0'],
        [from + 2, '/2/1'],
        [from + 1, '/2/0'],
        [from, '/1/0'],
      ],
    );
    assert.deepEqual([next, complete], [null, true]);
    assert.deepEqual(keysOf(await collect(store, { query: { bucket: 'profiler' } })), [from + 3]);
  },
  async 'goes on page by page, wherever a page ends in its segment'(store) {
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from]), await segment(2, [from + 1, from + 2, from + 3])]);
    const seen: number[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const page = await collect(store, { limit: 2, ...(before === undefined ? {} : { before }) });
      assert.ok(page.rows.length > 0 && page.rows.length <= 2);
      seen.push(...keysOf(page));
      before = page.next;
    }
    assert.deepEqual(seen, [from + 3, from + 2, from + 1, from]);
    assert.deepEqual(keysOf(await collect(store, { before: from + 9 })), []);
    assert.deepEqual(keysOf(await collect(store, { key: from + 2 })), [from + 2]);
  },
  async 'gives what meets the conditions, and nothing else'(store) {
    const { from } = await store.lease(10);
    const [first, second] = [await segment(1, [from], 200), await segment(2, [from + 1, from + 2], 404)];
    await store.write([first, second]);
    const keys = async (query: string): Promise<number[]> => {
      const { where } = parseQuery(query);
      return keysOf(await collect(store, { query: { where } }));
    };
    assert.deepEqual(await keys('status:404'), [from + 2, from + 1]);
    assert.deepEqual(await keys('-status:4xx'), [from]);
    assert.deepEqual(await keys('url:/2/1'), [from + 2]);
    assert.deepEqual(await keys('method:get status:5xx'), []);
    assert.deepEqual(await keys('has:error'), []);
    assert.deepEqual(await keys(`after:${Math.floor(first.startedAt) - 1}`), [from + 2, from + 1, from]);
    assert.deepEqual(await keys(`after:${Math.ceil(second.closedAt) + 1}`), []);
    assert.deepEqual(await keys(`before:${Math.floor(first.startedAt) - 1}`), []);
  },
};

/** Contract cases for the order, totals and news of a `ProfileStore`; a store need not support totals and news. */
export const totalsCases: StoreCases = {
  async 'gives them in the order of a column, page by page'(store) {
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from, from + 1], 200), await segment(2, [from + 2], 404)]);
    await store.write([await segment(3, [from + 3], 500), await segment(4, [from + 4], 302)]);
    for (const isAscending of [false, true]) {
      const query = { sort: { column: 'status', isAscending } };
      const first = await collect(store, { query, limit: 2 });
      const last = first.rows.at(-1);
      assert.ok(last !== undefined && first.next === last.key);
      const behind = { value: last.status, key: last.key };
      const rest = await collect(store, { query, behind });
      const inOrder = [from + 3, from + 2, from + 4, from + 1, from];
      const rising = [from + 1, from, from + 4, from + 2, from + 3];
      assert.deepEqual([...keysOf(first), ...keysOf(rest)], isAscending ? rising : inOrder);
      assert.equal(rest.next, null);
    }
  },
  async 'counts, if it can'(store) {
    if (store.totals === undefined) return;
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from, from + 1], 200), await segment(2, [from + 2], 500)]);
    const { groups, complete } = await store.totals({ query: { groupBy: ['status'] } });
    assert.equal(complete, true);
    assert.deepEqual(
      groups.map(({ values, count, failed, lastKey }) => [values, count, failed, lastKey > from]),
      [
        [[200], 2, 0, true],
        [[500], 1, 1, true],
      ],
    );
    const query = { ...parseQuery('status:2xx'), isCountOnly: true };
    assert.equal((await store.totals({ query })).groups[0]?.count, 2);
  },
  async 'reports what is new, if it can: each record once, in the order in which they were written'(store) {
    if (store.news === undefined) return;
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from])]);
    const start = await store.news({ query: {}, position: null });
    assert.deepEqual([start.rows, start.isGap], [[], false]);
    await store.write([await segment(2, [from + 1, from + 2])]);
    await store.write([{ ...(await segment(3, [from + 3])), bucket: 'profiler' }]);
    const first = await store.news({ query: {}, position: start.position });
    assert.deepEqual(keysOf(first), [from + 1, from + 2]);
    await store.write([await segment(4, [from + 4], 500)]);
    const { where } = parseQuery('status:500');
    const second = await store.news({ query: { where }, position: first.position });
    assert.deepEqual([keysOf(second), second.isGap], [[from + 4], false]);
    assert.deepEqual(keysOf(await store.news({ query: {}, position: second.position })), []);
    assert.equal((await store.news({ query: {}, position: '999999999' })).isGap, true);
  },
};
