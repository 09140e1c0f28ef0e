import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createMemoryStore, createProfiler, createSqliteStore, createStore, parseQuery } from '#profiler';
import { checkProfileStore, makeSegment } from '#testing';
import { startRedis, type TestRedis } from '../security/start-redis.js';
import { watchRequest } from './watch-request.js';
import { findPostgres, type StorePostgres } from './store-servers.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-stores-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

describe('stores of records', () => {
  for (const { name, run } of checkProfileStore((retention) => createMemoryStore(retention)))
    it(`memory: ${name}`, run);
  for (const { name, run } of checkProfileStore((retention = {}) =>
    createSqliteStore(join(folder, `deep/er/${files++}.db`), { retention }),
  ))
    it(`sqlite: ${name}`, run);

  it('are made from an address', async () => {
    for (const address of ['memory:', `sqlite:${join(folder, 'address.db')}`]) {
      const store = createStore(address);
      assert.equal((await store.lease(3)).from, 0);
      await store.close();
    }
    for (const address of ['', 'sqlite:', 'redis:x', 'mysql://x', 'sqlite://host/path', 'memory', 'memory:x'])
      assert.throws(() => createStore(address), { code: 'PROFILER_STORE_ADDRESS' }, address);
  });

  it('a file is the same to the next process: numbers go on, records and reasons are there', async () => {
    const path = join(folder, 'again.db');
    const first = createSqliteStore(path, { retention: { records: 1 } });
    const { from, to, secret } = await first.lease(10);
    const [one, two] = [
      { ...(await makeSegment([{ path: '/one' }])), number: 0, keys: [from] },
      { ...(await makeSegment([{ path: '/two' }])), number: 1, keys: [from + 1] },
    ];
    await first.write([one, two]);
    await first.close();
    const second = createSqliteStore(path);
    const next = await second.lease(10);
    assert.equal(next.secret, secret);
    assert.ok(next.from >= to);
    assert.equal(await second.find(from), 'count');
    assert.equal(typeof (await second.find(from + 1)), 'object');
    // Its own numbers of segments begin anew.
    assert.equal((await second.write([{ ...one, keys: [next.from] }])).records, 2);
    await second.close();
  });
});

describe('stores of records on servers', () => {
  let postgres: StorePostgres;
  let redis: TestRedis;
  let stores = 0;
  before(async () => {
    [postgres, redis] = await Promise.all([findPostgres(), startRedis()]);
  });
  after(() => Promise.all([postgres.stop(), redis.stop()]));
  for (const { name, run } of checkProfileStore((retention = {}) =>
    createStore(`${postgres.address}?schema=s${stores++}`, retention),
  ))
    it(`postgres: ${name}`, run);
  for (const { name, run } of checkProfileStore((retention = {}) =>
    createStore(`${redis.url}?prefix=s${process.pid}-${stores++}`, retention),
  ))
    it(`redis: ${name}`, run);

  for (const kind of ['memory', 'sqlite', 'postgres', 'redis'] as const)
    it(`${kind}: a marked record outlives the retention, and goes when its mark does`, async () => {
      const address = {
        memory: 'memory:',
        sqlite: `sqlite:${join(folder, 'marks.db')}`,
        postgres: `${postgres.address}?schema=marks`,
        redis: `${redis.url}?prefix=marks${process.pid}`,
      }[kind];
      const profiler = createProfiler({ store: createStore(address, { records: 2 }), storeName: 'test' });
      await profiler.list(); // its first numbers are there
      const [token = '', other = ''] = ['/kept', '/other'].map((target) =>
        watchRequest(profiler, { source: { target } }),
      );
      await profiler.marks?.set(token, { tags: ['slow'], note: 'Später <b>' });
      await assert.rejects(async () => profiler.marks?.set('ffffffff', { tags: [], note: '' }), {
        code: 'PROFILER_MARK_OF_NOTHING',
      });
      for (let count = 0; count < 5; count++) {
        watchRequest(profiler);
        await profiler.flush();
      }
      assert.equal((await profiler.find(other)).kind, 'pruned');
      const found = await profiler.find(token);
      assert.equal(found.kind === 'found' && found.record.request.path, '/kept');
      const { where } = parseQuery('tag:slow');
      const [row, ...more] = (await profiler.list({ where })).rows;
      assert.deepEqual([row?.token, row?.mark, more], [token, { tags: ['slow'], note: 'Später <b>' }, []]);
      assert.deepEqual((await profiler.list({ where: parseQuery('tag:fast').where })).rows, []);
      assert.equal((await profiler.list()).rows.length, 2);
      await profiler.marks?.set(token, null);
      assert.equal((await profiler.find(token)).kind, 'pruned');
      await profiler.close();
    });

  it('redis: a damaged segment takes no list with it, which says how many records are missing', async () => {
    const prefix = `damaged${process.pid}`;
    const writer = createStore(`${redis.url}?prefix=${prefix}`);
    const { from } = await writer.lease(10);
    for (const number of [1, 2, 3]) {
      const made = await makeSegment([{ path: `/${number}/0` }, { path: `/${number}/1` }]);
      await writer.write([{ ...made, number, keys: [from + 2 * number, from + 2 * number + 1] }]);
    }
    await writer.close();
    const client = new Redis(redis.url);
    const stream = `{${prefix}}:app`;
    const entries = await client.xrangeBuffer(stream, '-', '+');
    await client.del(stream);
    for (const [at, [id, fields]] of entries.entries()) {
      const directory = fields[fields.findIndex((field) => String(field) === 'directory') + 1];
      if (at === 1) directory?.fill(0, 1, 2);
      await client.xadd(stream, id, ...fields);
    }
    await client.quit();
    const store = createStore(`${redis.url}?prefix=${prefix}`);
    const { rows, damaged } = await store.search({ query: {}, limit: 10 });
    assert.deepEqual([rows.map(({ path }) => path), damaged], [['/3/1', '/3/0', '/1/1', '/1/0'], 2]);
    const totals = await store.totals?.({ query: { groupBy: ['method'] } });
    assert.deepEqual([totals?.groups[0]?.count, totals?.damaged], [4, 2]);
    const news = await store.news?.({ query: {}, position: '0-1' });
    assert.deepEqual([news?.rows.length, news?.isGap], [4, false]);
    await assert.rejects(store.find(from + 4), { code: 'PROFILER_RECORD_DAMAGED' });
    assert.equal(typeof (await store.find(from + 6)), 'object');
    await store.close();
  });

  it('find and order the same as memory does, whatever is asked', async () => {
    const addresses = [
      'memory:',
      `sqlite:${join(folder, 'same.db')}`,
      `${postgres.address}?schema=same`,
      `${redis.url}?prefix=same${process.pid}`,
    ];
    const all = addresses.map((address) => createStore(address));
    const paths = [
      '/a',
      '/A%20b?x=1',
      '/b_c/d',
      '/ÄÖ/ß',
      'http://other.example/Q?y',
      '*',
      '/a\\z%',
      '/"quoted"\'',
    ];
    const made = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        makeSegment(
          Array.from({ length: 9 }, (_, at) => ({
            path: `${paths[(number * at) % paths.length]}`,
            status: [200, 204, 302, 404, 500][(number + at) % 5] ?? 200,
          })),
        ),
      ),
    );
    // So many that a file has blocks of them, and segments behind these.
    const segments = Array.from({ length: 70 }, (_, number) => ({
      ...(made[number % made.length] ?? assert.fail()),
      number,
      keys: Array.from({ length: 9 }, (_, at) => number * 100 + ((at * 5) % 9)),
    }));
    for (const store of all) {
      for (let at = 0; at < segments.length; at += 10) await store.write(segments.slice(at, at + 10));
      await store.prune(); // blocks of the file that are due are made
      await store.tally();
    }
    const column = fc.constantFrom(
      'status',
      'durationMs',
      'method',
      'url',
      'path',
      'target',
      'route',
      'errorClass',
      'instance',
      'no.such',
    );
    const text = fc.constantFrom(
      'a',
      'GET',
      'äö',
      'Ä',
      '%',
      '_',
      '\\',
      "'",
      '"',
      '200',
      '0',
      '',
      'http',
      '/a',
      'ß',
    );
    const bound = fc.option(fc.constantFrom(-1, 0, 0.01, 1, 200, 299.5, 404, 500));
    const condition = fc.record({
      columns: fc.uniqueArray(column, { minLength: 1, maxLength: 2 }),
      isNegated: fc.boolean(),
      test: fc.oneof(
        fc.record({
          kind: fc.constantFrom('is' as const, 'starts' as const, 'contains' as const),
          texts: fc.array(text, { minLength: 1, maxLength: 2 }),
        }),
        fc.record({
          kind: fc.constant('numbers' as const),
          ranges: fc.array(fc.tuple(bound, bound), { minLength: 1, maxLength: 2 }),
        }),
        fc.record({ kind: fc.constant('missing' as const) }),
      ),
    });
    const sort = fc.record({
      column: fc.constantFrom('durationMs', 'status', 'no.such'),
      isAscending: fc.boolean(),
    });
    const late = fc.uniqueArray(fc.constantFrom(101, 204, 308), { maxLength: 2 });
    const asked = fc.record({
      where: fc.array(condition, { maxLength: 3 }),
      sort: fc.option(sort, { nil: undefined }),
      late,
    });
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.integer({ min: 1, max: 40 }),
        async ({ where, sort: order, late: keys }, limit) => {
          const query = order === undefined ? { where } : { where, sort: order };
          const thrownLate = new Set(keys);
          const pages = await Promise.all(all.map((store) => store.search({ query, limit, thrownLate })));
          const totals = await Promise.all(
            all.map((store) =>
              store.totals?.({ query: { where, groupBy: ['method', 'state'] }, thrownLate }),
            ),
          );
          for (const [at, page] of pages.entries()) {
            assert.deepEqual(
              page.rows.map(({ key }) => key),
              pages[0]?.rows.map(({ key }) => key),
              addresses[at],
            );
            assert.deepEqual(page.rows, pages[0]?.rows, addresses[at]);
            assert.equal(page.next, pages[0]?.next, addresses[at]);
            assert.deepEqual(totals[at], totals[0], addresses[at]);
          }
        },
      ),
      { numRuns: 150 },
    );
    for (const store of all) await store.close();
  });
});
