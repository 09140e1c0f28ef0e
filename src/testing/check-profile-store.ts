import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProfileStore, Retention, Segment, StoredRows } from '#profiler';
import type { ContractCase } from './contract-case.js';

/** Opens an empty store. */
export type OpenProfileStore = (retention?: Partial<Retention>) => ProfileStore | Promise<ProfileStore>;

type Check = (
  name: string,
  run: (store: ProfileStore) => Promise<void>,
  retention?: Partial<Retention>,
) => ContractCase;

/** The contract of `ProfileStore`. `open` gives an empty store each time it is called; the suite closes it. */
export function checkProfileStore(open: OpenProfileStore): readonly ContractCase[] {
  const check: Check = (name, run, retention) => ({
    name,
    run: async () => {
      const store = await open(retention);
      try {
        await run(store);
      } finally {
        await store.close();
      }
    },
  });
  return [...keepingCases(check), ...scanCases(check), ...countCases(check), ...retentionCases(check)];
}

function keepingCases(check: Check): readonly ContractCase[] {
  return [
    check('leases numbers once, under one secret', async (store) => {
      const leases = [await store.lease(10), await store.lease(256), await store.lease(1)];
      const given = leases.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at));
      assert.ok(given.length >= 267);
      assert.equal(new Set(given).size, given.length);
      assert.equal(new Set(leases.map(({ secret }) => secret)).size, 1);
    }),
    check('gives back what was written, byte for byte, by the key of each record', async (store) => {
      const { from } = await store.lease(10);
      const bytes = Uint8Array.from({ length: 3000 }, (_, at) => (at * 7) % 256);
      const keys = [from, from + 2, -77, from + 1];
      await store.write([{ ...segment(1, keys), directory: bytes.subarray(0, 900), body: bytes }]);
      for (const [index, key] of keys.entries()) {
        const found = await store.find(key);
        assert.ok(typeof found === 'object');
        assert.deepEqual([found.index, [...found.keys]], [index, keys]);
        assert.deepEqual(Buffer.from(found.directory), Buffer.from(bytes.subarray(0, 900)));
        assert.deepEqual(Buffer.from(found.body), Buffer.from(bytes));
      }
    }),
    check('tells a key that was leased from one that never was', async (store) => {
      const { from, to } = await store.lease(10);
      assert.equal(await store.find(from), 'missing');
      assert.equal(await store.find(to + 100_000), 'never');
      assert.equal(await store.find(-5), 'never');
    }),
    check('writes a segment once that comes twice', async (store) => {
      const { from } = await store.lease(10);
      await store.write([segment(1, [from, from + 1])]);
      const tally = await store.write([segment(1, [from, from + 1]), segment(2, [from + 2])]);
      assert.deepEqual([tally.records, tally.renamed], [3, 0]);
    }),
    check('never overwrites a record whose key is taken: the second gets a fresh one', async (store) => {
      const { from } = await store.lease(10);
      await store.write([{ ...segment(1, [from]), body: Buffer.from('first') }]);
      const tally = await store.write([{ ...segment(2, [from, from + 1]), body: Buffer.from('second') }]);
      assert.deepEqual([tally.records, tally.renamed], [3, 1]);
      const found = await store.find(from);
      assert.ok(typeof found === 'object');
      assert.equal(Buffer.from(found.body).toString(), 'first');
      const rows = await collect(store, 'app');
      const fresh = rows[0]?.keys[0] ?? from;
      assert.notEqual(fresh, from);
      const second = await store.find(fresh);
      assert.ok(typeof second === 'object');
      assert.equal(Buffer.from(second.body).toString(), 'second');
    }),
  ];
}

function scanCases(check: Check): readonly ContractCase[] {
  return [
    check('goes through segments newest first, each bucket by itself', async (store) => {
      const { from } = await store.lease(10);
      await store.write([segment(1, [from]), segment(2, [from + 1, from + 2])]);
      await store.write([{ ...segment(3, [from + 3]), bucket: 'profiler' }]);
      await store.write([segment(4, [from + 4])]);
      const rows = await collect(store, 'app');
      assert.deepEqual(rows.map(present), [[from + 4], [from + 1, from + 2], [from]]);
      assert.deepEqual((await collect(store, 'profiler')).map(present), [[from + 3]]);
    }),
    check('begins before a record, wherever that stands in its segment', async (store) => {
      const { from } = await store.lease(10);
      await store.write([segment(1, [from]), segment(2, [from + 1, from + 2, from + 3])]);
      assert.deepEqual((await collect(store, 'app', from + 3)).flatMap(present), [from + 1, from + 2, from]);
      assert.deepEqual((await collect(store, 'app', from + 1)).flatMap(present), [from]);
      assert.deepEqual((await collect(store, 'app', from + 9)).flatMap(present), []);
    }),
    check('passes over segments whose facts or times cannot match', async (store) => {
      const { from } = await store.lease(10);
      await store.write([
        { ...segment(1, [from]), facts: '\ns200\n', startedAt: 100, closedAt: 200 },
        { ...segment(2, [from + 1]), facts: '\ns404\n', startedAt: 300, closedAt: 400 },
      ]);
      const keys = async (range: Partial<Parameters<ProfileStore['scan']>[0]>): Promise<number[]> => {
        const rows: StoredRows[] = [];
        for await (const row of store.scan({ bucket: 'app', mayMatch: () => true, ...range })) rows.push(row);
        return rows.flatMap(present);
      };
      assert.deepEqual(await keys({ mayMatch: (facts) => facts.includes('\ns404\n') }), [from + 1]);
      assert.deepEqual(await keys({ mayMatch: () => false }), []);
      assert.deepEqual(await keys({ start: 250 }), [from + 1]);
      assert.deepEqual(await keys({ end: 250 }), [from]);
    }),
  ];
}

function countCases(check: Check): readonly ContractCase[] {
  return [
    check(
      'keeps exactly so many records and says that the others went by their count',
      async (store) => {
        const { from } = await store.lease(20);
        await store.write([segment(1, [from, from + 1, from + 2]), segment(2, [from + 3])]);
        const tally = await store.write([segment(3, [from + 4, from + 5])]);
        assert.deepEqual([tally.records, tally.pruned.count], [4, 2]);
        assert.equal(await store.find(from), 'count');
        assert.equal(await store.find(from + 1), 'count');
        assert.equal(typeof (await store.find(from + 2)), 'object');
        assert.deepEqual((await collect(store, 'app')).flatMap(present), [
          from + 4,
          from + 5,
          from + 3,
          from + 2,
        ]);
      },
      { records: 4 },
    ),
    check(
      'tells a key whose record never came from its neighbours whose records were pruned',
      async (store) => {
        const { from } = await store.lease(20);
        await store.write([segment(1, [from, from + 1, from + 4]), segment(2, [from + 3])]);
        await store.write([segment(3, [from + 6, from + 7])]);
        const found = await Promise.all([0, 1, 2, 3, 4, 5, 9].map((at) => store.find(from + at)));
        assert.deepEqual(found, ['count', 'count', 'missing', 'count', 'count', 'missing', 'missing']);
      },
      { records: 2 },
    ),
    check(
      'keeps the profiler’s own records in a ring of their own, which pushes out nothing else',
      async (store) => {
        const { from } = await store.lease(50);
        await store.write([segment(1, [from])]);
        for (let number = 2; number < 12; number++)
          await store.write([{ ...segment(number, [from + number]), bucket: 'profiler' }]);
        assert.equal(typeof (await store.find(from)), 'object');
        assert.deepEqual((await collect(store, 'profiler')).flatMap(present), [
          from + 11,
          from + 10,
          from + 9,
        ]);
      },
      { records: 4, profilerRecords: 3 },
    ),
  ];
}

function retentionCases(check: Check): readonly ContractCase[] {
  return [
    check(
      'keeps so many bytes at most',
      async (store) => {
        const { from } = await store.lease(50);
        const noise = Uint8Array.from({ length: 4000 }, (_, at) => (at * at * 31 + (at >> 3)) % 251);
        let bytes = 0;
        for (let number = 0; number < 10; number++) {
          const tally = await store.write([{ ...segment(number + 1, [from + number]), body: noise }]);
          bytes = Math.max(bytes, tally.bytes);
        }
        const tally = await store.prune();
        assert.ok(bytes <= 9000, `${bytes} bytes`);
        assert.equal(tally.records + tally.pruned.bytes, 10);
        assert.ok(tally.pruned.bytes > 0);
        assert.equal(await store.find(from), 'bytes');
      },
      { bytes: 9000 },
    ),
    check(
      'keeps nothing that is too old',
      async (store) => {
        const { from } = await store.lease(50);
        await store.write([segment(1, [from, from + 1])]);
        await sleep(450);
        const tally = await store.write([segment(2, [from + 2])]);
        assert.deepEqual([tally.records, tally.pruned.age], [1, 2]);
        assert.equal(await store.find(from), 'age');
      },
      { ageMs: 400 },
    ),
    check('removes a bucket when it is told to', async (store) => {
      const { from } = await store.lease(10);
      await store.write([segment(1, [from, from + 1]), { ...segment(2, [from + 2]), bucket: 'profiler' }]);
      const tally = await store.prune('app');
      assert.deepEqual([tally.records, tally.pruned.purge], [1, 2]);
      assert.equal(await store.find(from + 1), 'purge');
      assert.equal(typeof (await store.find(from + 2)), 'object');
    }),
  ];
}

function segment(number: number, keys: readonly number[]): Segment {
  return {
    number,
    bucket: 'app',
    keys,
    startedAt: Date.now(),
    closedAt: Date.now(),
    facts: '',
    directory: Buffer.from('rows'),
    body: Buffer.from('records'),
  };
}

async function collect(
  store: ProfileStore,
  bucket: 'app' | 'profiler',
  before?: number,
): Promise<StoredRows[]> {
  const rows: StoredRows[] = [];
  const range = { bucket, mayMatch: () => true, ...(before === undefined ? {} : { before }) };
  for await (const row of store.scan(range)) rows.push(row);
  return rows;
}

/** Keys of the rows that are there. */
function present({ keys, from, to }: StoredRows): readonly number[] {
  return keys.slice(from, to);
}
