import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProfileStore, Retention } from '#profiler';
import type { ContractCase } from './contract-case.js';
import { makeSegment } from './make-segment.js';
import { type StoreCases, collect, keysOf, segment } from './profile-store-check.js';
import { searchCases, totalsCases } from './profile-search-cases.js';

/** Opens an empty store. */
export type OpenProfileStore = (retention?: Partial<Retention>) => ProfileStore | Promise<ProfileStore>;

/** The contract suite of `ProfileStore`. Each call of `open` returns an empty store, which the suite closes. */
export function checkProfileStore(open: OpenProfileStore): readonly ContractCase[] {
  const casesOf = (cases: StoreCases, retention?: Partial<Retention>): readonly ContractCase[] =>
    Object.entries(cases).map(([name, check]) => ({
      name,
      async run() {
        const store = await open(retention);
        try {
          await check(store);
        } finally {
          await store.close();
        }
      },
    }));
  return [
    ...casesOf({ ...storageCases, ...searchCases, ...totalsCases }),
    ...retentionCases.flatMap(([retention, cases]) => casesOf(cases, retention)),
  ];
}

const storageCases: StoreCases = {
  async 'keeps notes, where it keeps any, until they are replaced or removed'(store) {
    if (store.notes === undefined || store.putNote === undefined) return;
    assert.deepEqual([...(await store.notes('mark'))], []);
    await store.putNote('mark', 'abcdef', 'one');
    await store.putNote('mark', 'abcdef', 'two “three”\n\u202e');
    await store.putNote('mark', 'fedcba', 'four');
    await store.putNote('copy', 'abcdef', 'five');
    await store.prune('app');
    assert.deepEqual(Object.fromEntries(await store.notes('mark')), {
      abcdef: 'two “three”\n\u202e',
      fedcba: 'four',
    });
    assert.deepEqual([...(await store.notes('copy', 'abcdef'))], [['abcdef', 'five']]);
    assert.deepEqual([...(await store.notes('copy', 'fedcba'))], []);
    await store.putNote('mark', 'fedcba', null);
    assert.deepEqual([...(await store.notes('mark')).keys()], ['abcdef']);
  },
  async 'leases numbers once, under one secret'(store) {
    const leases = [await store.lease(10), await store.lease(256), await store.lease(1)];
    const given = leases.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at));
    assert.ok(given.length >= 267);
    assert.equal(new Set(given).size, given.length);
    assert.equal(new Set(leases.map(({ secret }) => secret)).size, 1);
  },
  async 'gives back what was written, by the key of each record'(store) {
    const { from } = await store.lease(10);
    const keys = [from, from + 2, -77, from + 1];
    await store.write([await segment(1, keys)]);
    for (const [index, key] of keys.entries()) {
      const found = await store.find(key);
      assert.ok(typeof found === 'object');
      assert.equal(found.request.path, `/1/${index}`);
      assert.deepEqual([found.response?.status, found.state], [200, 'complete']);
    }
  },
  async 'distinguishes a key that was leased from one that never was'(store) {
    const { from, to } = await store.lease(10);
    assert.equal(await store.find(from), 'missing');
    assert.equal(await store.find(to + 100_000), 'never');
    assert.equal(await store.find(-5), 'never');
  },
  async 'writes a segment once that comes twice'(store) {
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from, from + 1])]);
    const tally = await store.write([await segment(1, [from, from + 1]), await segment(2, [from + 2])]);
    assert.deepEqual([tally.records, tally.renamed], [3, 0]);
  },
  async 'never overwrites a record whose key is taken: the second gets a fresh one'(store) {
    const { from } = await store.lease(10);
    await store.write([await segment(1, [from])]);
    const tally = await store.write([await segment(2, [from, from + 1])]);
    assert.deepEqual([tally.records, tally.renamed], [3, 1]);
    assert.equal(await pathOf(store, from), '/1/0');
    const [, renamed] = (await collect(store)).rows;
    assert.ok(renamed !== undefined && renamed.key !== from);
    assert.equal(await pathOf(store, renamed.key), '/2/0');
  },
  async 'says what it holds'(store) {
    const { from } = await store.lease(10);
    assert.deepEqual([(await store.tally()).records, (await store.tally()).bytes], [0, 0]);
    const written = await store.write([await segment(1, [from, from + 1])]);
    assert.deepEqual(await store.tally(), written);
    assert.ok(written.records === 2 && written.bytes > 0);
  },
  async 'removes a bucket on request'(store) {
    const { from } = await store.lease(10);
    await store.write([
      await segment(1, [from, from + 1]),
      { ...(await segment(2, [from + 2])), bucket: 'profiler' },
    ]);
    const tally = await store.prune('app');
    assert.deepEqual([tally.records, tally.pruned.purge], [1, 2]);
    assert.equal(await store.find(from + 1), 'purge');
    assert.equal(typeof (await store.find(from + 2)), 'object');
  },
};

/** The smallest limit that all stores support: some of them count whole files. */
const byteLimit = 1_500_000;

/** Cases for stores with limited retention. */
const retentionCases: readonly (readonly [Partial<Retention>, StoreCases])[] = [
  [
    { records: 4 },
    {
      async 'keeps exactly so many records and says that the others went by their count'(store) {
        const { from } = await store.lease(20);
        await store.write([await segment(1, [from, from + 1, from + 2]), await segment(2, [from + 3])]);
        const tally = await store.write([await segment(3, [from + 4, from + 5])]);
        assert.deepEqual([tally.records, tally.pruned.count], [4, 2]);
        assert.equal(await store.find(from), 'count');
        assert.equal(await store.find(from + 1), 'count');
        assert.equal(typeof (await store.find(from + 2)), 'object');
        assert.deepEqual(keysOf(await collect(store)), [from + 5, from + 4, from + 3, from + 2]);
      },
    },
  ],
  [
    { records: 2 },
    {
      async 'distinguishes a key whose record never came from its neighbours whose records were pruned'(
        store,
      ) {
        const { from } = await store.lease(20);
        await store.write([await segment(1, [from, from + 1, from + 4]), await segment(2, [from + 3])]);
        await store.write([await segment(3, [from + 6, from + 7])]);
        const found = await Promise.all([0, 1, 2, 3, 4, 5, 9].map((at) => store.find(from + at)));
        assert.deepEqual(found, ['count', 'count', 'missing', 'count', 'count', 'missing', 'missing']);
      },
    },
  ],
  [
    { records: 4, profilerRecords: 3 },
    {
      async 'keeps the profiler’s own records in a ring of their own, which pushes out nothing else'(store) {
        const { from } = await store.lease(50);
        await store.write([await segment(1, [from])]);
        for (let number = 2; number < 12; number++)
          await store.write([{ ...(await segment(number, [from + number])), bucket: 'profiler' }]);
        assert.equal(typeof (await store.find(from)), 'object');
        assert.deepEqual(keysOf(await collect(store, { query: { bucket: 'profiler' } })), [
          from + 11,
          from + 10,
          from + 9,
        ]);
      },
    },
  ],
  [
    { bytes: byteLimit },
    {
      async 'keeps so many bytes at most'(store) {
        const { from } = await store.lease(2000);
        let bytes = 0;
        for (let number = 0; number < 10; number++) {
          const made = await makeSegment(
            Array.from({ length: 100 }, () => ({ path: `/${randomBytes(3000).toString('base64url')}` })),
          );
          const keys = Array.from({ length: 100 }, (_, place) => from + number * 100 + place);
          const tally = await store.write([{ ...made, number: number + 1, keys }]);
          bytes = Math.max(bytes, tally.bytes);
        }
        const tally = await store.prune();
        assert.ok(bytes <= byteLimit, `${bytes} bytes`);
        assert.equal(tally.records + tally.pruned.bytes, 1000);
        assert.ok(tally.pruned.bytes > 0 && tally.records > 0);
        assert.equal(await store.find(from), 'bytes');
      },
    },
  ],
  [
    { ageMs: 400 },
    {
      async 'keeps nothing that is too old'(store) {
        const { from } = await store.lease(50);
        await store.write([await segment(1, [from, from + 1])]);
        await sleep(450);
        const tally = await store.write([await segment(2, [from + 2])]);
        assert.deepEqual([tally.records, tally.pruned.age], [1, 2]);
        assert.equal(await store.find(from), 'age');
      },
    },
  ],
];

async function pathOf(store: ProfileStore, key: number): Promise<string | undefined> {
  const found = await store.find(key);
  return typeof found === 'object' ? found.request.path : undefined;
}
