import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createMemoryStore,
  createSqliteStore,
  createStore,
  parseQuery,
  type ProfileStore,
  type Retention,
  type Segment,
} from '#profiler';
import { makeSegment } from '#testing';
import { loadSqlite } from '../../src/profiler/store/sqlite/sqlite-database.js';
import { findPostgres, type StorePostgres } from './store-servers.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-blocks-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const perSegment = 5;
let made: Segment | undefined;

/** Small segments, as a service with little to do makes them. */
async function write(store: ProfileStore, { from, count }: { from: number; count: number }): Promise<void> {
  made ??= await makeSegment(
    Array.from({ length: perSegment }, (_, at) => ({
      path: `/of/${at}`,
      status: [200, 302, 404, 500, 503][at] ?? 0,
    })),
  );
  const segments = Array.from({ length: count }, (_, at) => from + at);
  for (let at = 0; at < count; at += 16)
    await store.write(
      segments.slice(at, at + 16).map((number) => ({
        ...(made ?? assert.fail()),
        number,
        keys: Array.from({ length: perSegment }, (_, place) => number * perSegment + place),
      })),
    );
  await store.prune(); // blocks that are due are made
  await store.tally();
}

/** Pages, orders and counts of a store. */
async function answers(store: ProfileStore): Promise<unknown> {
  const found: unknown[] = [];
  for (const query of ['', 'status:404', 'path:/of/3', 'path:nowhere', '-path:/of/3 status:>300']) {
    const { where } = parseQuery(query);
    const rows: unknown[] = [];
    // Where a page ends is up to the time that it took.
    for (let before: number | null | undefined; before !== null;) {
      const page = await store.search({
        query: { where },
        limit: 700,
        ...(before === undefined ? {} : { before }),
      });
      rows.push(...page.rows.map(({ key, path, status }) => [key, path, status]));
      before = page.next;
    }
    found.push(rows);
    const sort = { column: 'status', isAscending: false };
    found.push((await store.search({ query: { where, sort }, limit: 20 })).rows.map(({ key }) => key));
    found.push(
      await store.totals?.({ query: { where, groupBy: ['path'], withinMs: 60_000 } }),
      await store.totals?.({ query: { where, isCountOnly: true, withinMs: 60_000 } }),
    );
  }
  found.push((await store.search({ query: {}, key: 1207, limit: 5 })).rows);
  return found;
}

/** A kind of store that makes blocks, its tables, and what writes zeros over the chunks of its first block. */
interface Kind {
  open(name: string, options?: { retention?: Partial<Retention>; isReadOnly?: boolean }): ProfileStore;
  query(name: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly zeros: string;
  /** The table with the bytes of segments. */
  readonly bytes: string;
}

let postgres: StorePostgres;
before(async () => {
  postgres = await findPostgres();
});
after(() => postgres.stop());

const kinds: Readonly<Record<string, Kind>> = {
  sqlite: {
    open: (name, options) => createSqliteStore(join(folder, name), options),
    async query(name, text) {
      const db = new (loadSqlite().DatabaseSync)(join(folder, name));
      try {
        return text.split('; ').flatMap((one) => db.prepare(one).all());
      } finally {
        db.close();
      }
    },
    zeros: 'zeroblob(length(data))',
    bytes: 'segment_data',
  },
  postgres: {
    open: (name, { retention } = {}) => createStore(`${postgres.address}?schema=${name}`, retention),
    query: (name, text) => postgres.query(text.replaceAll(/ (block|chunk|segment)\b/g, ` ${name}.$1`)),
    zeros: `decode(repeat('00', length(data)), 'hex')`,
    bytes: 'segment',
  },
};

for (const [kindName, kind] of Object.entries(kinds)) {
  const both = async (
    name: string,
    retention: Partial<Retention>,
  ): Promise<readonly [memory: ProfileStore, other: ProfileStore]> => {
    const stores = [createMemoryStore(retention), kind.open(name, { retention })] as const;
    for (const store of stores) await store.lease(100_000);
    return stores;
  };
  const blocksOf = async (
    name: string,
  ): Promise<readonly { first: number; last: number; rows: number }[]> => {
    const rows = await kind.query(name, 'SELECT first, last, rows FROM block ORDER BY first');
    return rows.map((row) => ({
      first: Number(row['first']),
      last: Number(row['last']),
      rows: Number(row['rows']),
    }));
  };

  describe(`blocks of a store (${kindName})`, () => {
    it('answer as memory does, with segments behind them, merged, and pruned in the middle of one', async () => {
      const [memory, file] = await both('pruned', { records: 2000 });
      for (const [from, count] of [
        [0, 70],
        [70, 90],
        [160, 420],
      ] as const) {
        for (const store of [memory, file]) await write(store, { from, count });
        assert.deepEqual(await answers(file), await answers(memory));
      }
      const blocks = await blocksOf('pruned');
      assert.ok(
        blocks.length > 0 &&
          blocks.every(({ last }, at) => last < (blocks[at + 1]?.first ?? Number.MAX_SAFE_INTEGER)),
      );
      for (const store of [memory, file]) await store.prune('app');
      assert.deepEqual(await answers(file), await answers(memory));
      for (const store of [memory, file]) await write(store, { from: 600, count: 80 });
      assert.deepEqual(await answers(file), await answers(memory));
      for (const store of [memory, file]) await store.close();
    });

    it('become few, and are found again by whoever opens the file', async () => {
      const [memory, file] = await both('merged', {});
      for (const store of [memory, file]) await write(store, { from: 0, count: 1100 });
      const blocks = await blocksOf('merged');
      assert.ok(blocks.length <= 12, String(blocks.length));
      assert.equal(Math.max(...blocks.map(({ rows }) => rows)) > 64 * perSegment, true);
      await file.close();
      const again = kind.open('merged', { isReadOnly: true });
      assert.deepEqual(await answers(again), await answers(memory));
      await again.close();
      await memory.close();
    });

    it('of which one is gone while it is read make the search begin anew', async () => {
      const [memory, file] = await both('gone', {});
      for (const store of [memory, file]) await write(store, { from: 0, count: 300 });
      await file.search({ query: {}, limit: 1 }); // it has read which blocks there are
      await kind.query('gone', 'DELETE FROM block; DELETE FROM chunk');
      assert.deepEqual(await answers(file), await answers(memory));
      await file.close();
      await memory.close();
    });

    it('that are damaged are read from their segments, and made anew when they are merged', async () => {
      const [memory, file] = await both('damaged', {});
      for (const store of [memory, file]) await write(store, { from: 0, count: 300 });
      const expected = await answers(memory);
      await kind.query(
        'damaged',
        `UPDATE chunk SET data = ${kind.zeros} WHERE id / 1024 = (SELECT min(id) FROM block)`,
      );
      assert.deepEqual(await answers(file), expected);
      for (const store of [memory, file]) await write(store, { from: 300, count: 900 });
      assert.deepEqual(await answers(file), await answers(memory));
      await file.close();
      await memory.close();
    });

    it('and segments that are damaged: a list goes on without their records, and says how many there are', async () => {
      const [memory, file] = await both('lost', {});
      for (const store of [memory, file]) await write(store, { from: 0, count: 70 });
      const whole = await file.search({ query: {}, limit: 20 });
      assert.equal(whole.damaged, undefined);
      const zeros = kind.zeros.replace('data', 'directory');
      await kind.query(
        'lost',
        `UPDATE ${kind.bytes} SET directory = ${zeros} WHERE id = (SELECT max(id) FROM segment)`,
      );
      const page = await file.search({ query: {}, limit: 20 });
      assert.equal(page.damaged, perSegment);
      assert.deepEqual(
        page.rows.map(({ key }) => key).slice(0, 10),
        whole.rows.map(({ key }) => key).slice(perSegment, perSegment + 10),
      );
      await memory.close();
      await file.close();
    });
  });
}
