import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { after, before, describe, it } from 'node:test';
import { tokenOf } from '../../src/profiler/encoding/token.js';
import { openStore } from '../../src/profiler/storage/tables/open-store.js';
import type { RecordStore } from '../../src/profiler/storage/tables/record-store.js';
import { loadSqlite } from '../../src/profiler/storage/tables/sqlite-driver.js';
import { findPostgres, type StorePostgres } from '../profiler/store-servers.js';
import { startTcpProxy } from '../profiler/tcp-proxy.js';
import { finished } from './finished-records.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-faults-'));
const disk = join(folder, 'small');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]).status === 0;
after(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

const pathOf = (name: string): string => join(folder, name);
const bytesOf = (file: string): number =>
  [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** Appends records with new ids and returns them. */
async function appendSome(store: RecordStore, count: number, path = '/'): Promise<number[]> {
  const { reserved } = await store.append({ records: [], reserve: count });
  const ids = Array.from({ length: count }, (_, at) => (reserved?.from ?? 0) + at);
  await store.append({ records: ids.map((id) => finished({ id, path })) });
  return ids;
}

async function closing(store: RecordStore, work: (store: RecordStore) => Promise<void>): Promise<void> {
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

const noise = (): string => `/${randomBytes(2500).toString('base64url')}`;

describe('a SQLite file', () => {
  it('is created with its folders by a writer', async () => {
    const path = pathOf('new/inner/records.db');
    await closing(openStore(`sqlite:${path}`), async (store) => void (await appendSome(store, 1)));
    assert.ok(existsSync(path));
  });

  it('is kept for the next process: ids continue, and records and reasons remain', async () => {
    const address = `sqlite:${pathOf('next.db')}`;
    let ids: number[] = [];
    await closing(openStore(address, { retention: { records: 2 } }), async (store) => {
      ids = await appendSome(store, 3);
    });
    await closing(openStore(address), async (store) => {
      assert.deepEqual(await store.find(ids[0] ?? -1), { kind: 'pruned', by: 'count' });
      assert.equal((await store.find(ids[2] ?? -1)).kind, 'found');
      const { reserved } = await store.append({ records: [], reserve: 1 });
      assert.equal(reserved?.from, (ids[2] ?? 0) + 1);
    });
  });

  it('that was damaged while closed is renamed and replaced, which the store reports once', async () => {
    const path = pathOf('damaged.db');
    await closing(openStore(`sqlite:${path}`), async (store) => void (await appendSome(store, 50, noise())));
    const bytes = readFileSync(path);
    bytes.fill(7, 8192);
    writeFileSync(path, bytes);
    await closing(openStore(`sqlite:${path}`), async (store) => {
      const { tally } = await store.append({ records: [] });
      assert.match(
        tally.notice ?? '',
        /was damaged: it was renamed to ".*damaged\.db\.damaged-.*", and a new file/,
      );
      assert.equal((await store.append({ records: [] })).tally.notice, undefined);
      const [id = -1] = await appendSome(store, 1);
      assert.equal((await store.find(id)).kind, 'found');
    });
    assert.equal(readdirSync(folder).filter((name) => /^damaged\.db\.damaged-.*Z$/.test(name)).length, 1);
  });

  it('that is removed, or damaged on disk, while it is open is replaced with a new one', async () => {
    const damage = (path: string): void => writeFileSync(path, Buffer.alloc(statSync(path).size, 7));
    for (const harm of [(path: string) => rmSync(path), damage]) {
      const path = pathOf(`harmed${randomBytes(3).toString('hex')}.db`);
      let kept = -1;
      await closing(openStore(`sqlite:${path}`), async (store) => {
        await appendSome(store, 1);
        harm(path);
        [kept = -1] = await appendSome(store, 1);
        assert.equal((await store.find(kept)).kind, 'found');
      });
      await closing(openStore(`sqlite:${path}`, { isReadOnly: true }), async (store) =>
        assert.equal((await store.find(kept)).kind, 'found'),
      );
    }
  });

  it('of an older version is renamed by a writer, and refused unchanged for a reader', async () => {
    const path = pathOf('older.db');
    await closing(openStore(`sqlite:${path}`), async (store) => void (await appendSome(store, 1)));
    setVersion(path, 6);
    const before = hashOf(path);
    const reader = openStore(`sqlite:${path}`, { isReadOnly: true });
    await assert.rejects(reader.list({ query: {}, limit: 1 }), { code: 'PROFILER_STORE_OLDER' });
    await reader.close();
    assert.equal(hashOf(path), before);
    await closing(openStore(`sqlite:${path}`), async (store) => {
      const { tally } = await store.append({ records: [] });
      assert.match(tally.notice ?? '', /older version: it was renamed/);
      assert.equal(tally.records, 0);
    });
  });

  it('of a newer version, of another program, or with text, is refused for everyone and left unchanged', async () => {
    const newer = pathOf('newer.db');
    await closing(openStore(`sqlite:${newer}`), async (store) => void (await appendSome(store, 1)));
    setVersion(newer, 99);
    const foreign = pathOf('foreign.db');
    const db = new (loadSqlite().DatabaseSync)(foreign);
    db.exec('CREATE TABLE invoice (id)');
    db.close();
    const text = pathOf('README.md');
    writeFileSync(text, '# This is no store of records\n');
    for (const [path, code] of [
      [newer, 'PROFILER_STORE_NEWER'],
      [foreign, 'PROFILER_STORE_FOREIGN'],
      [text, 'PROFILER_STORE_FOREIGN'],
    ] as const) {
      const hash = hashOf(path);
      for (const isReadOnly of [true, false]) {
        const store = openStore(`sqlite:${path}`, { isReadOnly });
        await assert.rejects(store.list({ query: {}, limit: 1 }), { code }, path);
        await store.close();
      }
      assert.equal(hashOf(path), hash);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => /^(?:newer|foreign|README).*-20/.test(name)),
      [],
    );
  });

  it('is not created by a reader, and a reader next to a writer changes nothing', async () => {
    const path = pathOf('absent/none.db');
    const store = openStore(`sqlite:${path}`, { isReadOnly: true });
    await assert.rejects(store.list({ query: {}, limit: 1 }), { code: 'PROFILER_STORE_ABSENT' });
    await store.close();
    assert.equal(existsSync(join(folder, 'absent')), false);
    const own = pathOf('read.db');
    await closing(openStore(`sqlite:${own}`), async (writer) => {
      const [id = -1] = await appendSome(writer, 1);
      await closing(openStore(`sqlite:${own}`, { isReadOnly: true }), async (reader) => {
        assert.equal((await reader.find(id)).kind, 'found');
        await assert.rejects(reader.update({ id }, { remove: true }));
        assert.equal((await reader.list({ query: {}, limit: 9 })).rows.length, 1);
      });
      assert.equal((await writer.find(id)).kind, 'found');
    });
  });

  it('that does not exist, without any SQLite either, is reported as missing', async () => {
    const options = { isReadOnly: true, driver: 'no-such-sqlite' };
    const store = openStore(`sqlite:${pathOf('absent/none.db')}`, options);
    await assert.rejects(store.list({ query: {}, limit: 1 }), { code: 'PROFILER_STORE_DRIVER' });
    await store.close();
  });

  it('makes a new folder readable only by this user and ignored by Git', async () => {
    const made = pathOf('made');
    await closing(
      openStore(`sqlite:${join(made, 'profiler.db')}`),
      async (store) => void (await appendSome(store, 1)),
    );
    assert.equal(statSync(made).mode & 0o777, 0o700);
    assert.equal(readFileSync(join(made, '.gitignore'), 'utf8'), '*\n');
  });

  it('and its log and shared memory are readable only by this user, wherever they are', async () => {
    const open = pathOf('open');
    mkdirSync(open, { mode: 0o755 });
    const path = join(open, 'records.db');
    await closing(openStore(`sqlite:${path}`), async (store) => {
      await appendSome(store, 1);
      for (const ending of ['', '-wal', '-shm'])
        assert.equal(statSync(path + ending).mode & 0o777, 0o600, ending);
    });
    const older = join(open, 'older.db');
    await closing(openStore(`sqlite:${older}`), async (store) => void (await appendSome(store, 1)));
    setVersion(older, 6);
    await closing(openStore(`sqlite:${older}`), async (store) => void (await appendSome(store, 1)));
    for (const name of readdirSync(open)) assert.equal(statSync(join(open, name)).mode & 0o777, 0o600, name);
  });

  it('that others could read loses that permission, except for a group with write access', async () => {
    for (const [before, after] of [
      [0o644, 0o600],
      [0o666, 0o660],
      [0o660, 0o660],
    ] as const) {
      const path = pathOf(`mode-${before}.db`);
      await closing(openStore(`sqlite:${path}`), async (store) => void (await appendSome(store, 1)));
      chmodSync(path, before);
      await closing(openStore(`sqlite:${path}`, { isReadOnly: true }), async (store) => {
        await store.list({ query: {}, limit: 1 });
        assert.equal(statSync(path).mode & 0o777, before, 'a read-only store leaves the file mode alone');
      });
      await closing(openStore(`sqlite:${path}`), async (store) => {
        await appendSome(store, 1);
        assert.equal(statSync(path).mode & 0o777, after, before.toString(8));
        for (const ending of ['-wal', '-shm'])
          assert.equal(statSync(path + ending).mode & 0o777 & ~after, 0, `${ending} ${before.toString(8)}`);
      });
    }
  });

  it('that another process keeps reading keeps its log within the limit, refuses records with the reason, and stores them afterwards', async () => {
    const path = pathOf('read-on.db');
    const limit = 8 * 1024 * 1024;
    await closing(openStore(`sqlite:${path}`, { retention: { bytes: limit } }), async (store) => {
      let next = 0;
      const write = async (): Promise<void> => {
        const { reserved } = await store.append({ records: [], reserve: 64 });
        next = reserved?.from ?? 0;
        await store.append({
          records: Array.from({ length: 64 }, (_, at) => finished({ id: next + at, path: noise() })),
        });
      };
      await write();
      const reader = new (loadSqlite().DatabaseSync)(path);
      reader.exec('BEGIN; SELECT count(*) FROM record');
      reader.prepare('SELECT count(*) FROM record').all();
      let [refused, greatest] = [0, 0];
      for (let round = 0; round < 60; round++) {
        await write().catch((error: { readonly code?: unknown }) => {
          assert.equal(error.code, 'PROFILER_STORE_LOG_FULL');
          refused++;
        });
        greatest = Math.max(greatest, bytesOf(path));
      }
      assert.ok(refused > 0, 'no write was refused');
      assert.ok(greatest <= limit, `${greatest} of ${limit} bytes`);
      const { rows } = await store.list({ query: {}, limit: 1000 });
      assert.ok(rows.length >= 64); // it stays readable
      reader.exec('COMMIT');
      reader.close();
      await write();
      assert.equal((await store.find(next)).kind, 'found');
      assert.ok(bytesOf(path) <= limit);
    });
  });

  it('with a damaged row is still read and written: lists, filters, sums, single records, amendments and retention', async () => {
    for (const damage of [
      `numbers = '{bad'`,
      `numbers = '[1]'`,
      `numbers = 'null'`,
      `late = '{bad'`,
      `closed_at = 'never'`,
      `status = 'odd', duration_ms = x'00'`,
      `url = x'ff00', note = x'01'`,
      `id = 'abc'`,
    ]) {
      const path = pathOf(`row${randomBytes(3).toString('hex')}.db`);
      await closing(openStore(`sqlite:${path}`, { retention: { records: 6 } }), async (store) => {
        const ids = await appendSome(store, 5);
        const db = new (loadSqlite().DatabaseSync)(path);
        db.exec(`UPDATE record SET ${damage} WHERE id = ${ids[2] ?? -1}`);
        db.close();
        const [damaged = -1, ...sound] = [2, 0, 1, 3, 4].map((index) => ids[index] ?? -1);
        await store.update({ id: damaged }, { late: { logs: [] } });
        assert.equal((await store.list({ query: {}, limit: 9 })).rows.length, 5, damage);
        const where = [
          {
            columns: ['db.queries'],
            test: { kind: 'numbers' as const, ranges: [[null, 3] as const] },
            isNegated: false,
          },
        ];
        const sort = { column: 'db.queries', isAscending: true };
        const { rows } = await store.list({ query: { where, sort }, limit: 9 });
        const listed = rows.map(({ token }) => token);
        assert.deepEqual(
          sound.filter((id) => !listed.includes(tokenOf(id))),
          [],
          damage,
        );
        const { groups } = await store.totals({ groupBy: ['origin'], where });
        const counted = groups.reduce((sum, { count }) => sum + count, 0);
        assert.ok(counted === 4 || counted === 5, `${damage}: ${counted}`);
        for (const id of sound) assert.equal((await store.find(id)).kind, 'found', damage);
        const { kind } = await store.find(damaged);
        assert.ok(/^(?:found|damaged|missing)$/.test(kind), `${damage}: ${kind}`);
        const more = await appendSome(store, 5);
        const left = (await store.list({ query: {}, limit: 20 })).rows;
        // A status stored as text compares as greater than 500, so that record counts as failed and is kept beyond the limit.
        assert.ok(left.length <= (damage.includes('odd') ? 7 : 6), `${damage}: ${left.length}`);
        for (const id of more) assert.equal((await store.find(id)).kind, 'found', damage);
      });
    }
  });

  it('with a batch that inflates beyond the limit has only that record damaged', async () => {
    const path = pathOf('inflating.db');
    await closing(openStore(`sqlite:${path}`), async (store) => {
      const [first = -1] = await appendSome(store, 1);
      const [second = -1] = await appendSome(store, 1);
      const db = new (loadSqlite().DatabaseSync)(path);
      const bomb = deflateRawSync(Buffer.alloc(300 * 1024 * 1024, ' '), { level: 1 });
      db.prepare('UPDATE batch SET data = ? WHERE id = (SELECT min(id) FROM batch)').all(bomb);
      db.close();
      const before = process.resourceUsage().maxRSS;
      await assert.rejects(store.find(first), { code: 'PROFILER_RECORD_DAMAGED' });
      assert.ok(process.resourceUsage().maxRSS - before < 250 * 1024, 'KiB');
      assert.equal((await store.find(second)).kind, 'found');
    });
  });

  it('at an impossible path is refused with the reason', async () => {
    for (const path of ['/proc/lookback/profiler.db', join(pathOf('next.db'), 'below.db')]) {
      const store = openStore(`sqlite:${path}`);
      await assert.rejects(store.append({ records: [] }), { code: 'PROFILER_STORE_CANNOT_OPEN' });
      await store.close();
    }
  });

  it('that fails at its n-th operation, for every n, gets each record exactly once on retry', async () => {
    const orders = pathOf('orders.json');
    process.env['LOOKBACK_TEST_FAULTS'] = orders;
    const driver = createRequire(import.meta.url).resolve('../../../test/profiler/faulting-driver.cjs');
    const store = openStore(`sqlite:${pathOf('faulting.db')}`, { driver });
    const [first = 0] = await appendSome(store, 40);
    let [id, failures] = [first + 1000, 0];
    for (let nth = 1; nth <= 14; nth++) {
      const records = [finished({ id: id++ }), finished({ id: id++ })];
      writeFileSync(orders, JSON.stringify({ nth, errcode: 10, salt: nth }));
      await store.append({ records }).catch(() => failures++);
      rmSync(orders);
      const { refused } = await store.append({ records });
      assert.equal(refused, 0);
    }
    const { tally } = await store.append({ records: [] });
    assert.equal(tally.records, 40 + 28);
    assert.ok(failures > 6, String(failures)); // most of an append's operations
    await store.close();
    delete process.env['LOOKBACK_TEST_FAULTS'];
  });

  it('takes no more bytes than its limit, including the log, except those of one write', async () => {
    const path = pathOf('limited.db');
    const limit = 4 * 1024 * 1024;
    await closing(openStore(`sqlite:${path}`, { retention: { bytes: limit } }), async (store) => {
      let greatest = 0;
      for (let round = 0; round < 30; round++) {
        const { reserved } = await store.append({ records: [], reserve: 64 });
        const records = Array.from({ length: 64 }, (_, at) =>
          finished({ id: (reserved?.from ?? 0) + at, path: noise() }),
        );
        await store.append({ records });
        greatest = Math.max(greatest, bytesOf(path));
      }
      assert.ok(greatest <= limit * 1.2, `${greatest} of ${limit} bytes`);
      assert.ok(greatest > limit / 2, `only ${greatest} of ${limit} bytes are used`);
    });
  });

  it(
    'on a disk smaller than the limit stays within the disk; when others fill it, records are refused until there is room, and stored ones stay',
    { skip: !isMounted && 'cannot mount a small disk' },
    async () => {
      const filler = join(disk, 'filler');
      await closing(openStore(`sqlite:${join(disk, 'profiler.db')}`), async (store) => {
        let next = 0;
        const write = async (): Promise<void> => {
          const { reserved } = await store.append({ records: [], reserve: 64 });
          next = reserved?.from ?? 0;
          const records = Array.from({ length: 64 }, (_, at) => finished({ id: next + at, path: noise() }));
          await store.append({ records });
        };
        for (let round = 0; round < 3; round++) await write();
        fill(filler);
        const failures = new Set<unknown>();
        for (let round = 0; round < 30; round++)
          await write().catch((error: { readonly code?: unknown }) => failures.add(error.code));
        for (const code of failures) assert.equal(code, 'PROFILER_STORE_FULL');
        assert.ok(failures.size > 0, 'the disk was never full');
        const { rows } = await store.list({ query: {}, limit: 1000 });
        assert.ok(rows.length >= 64, `${rows.length} records are left`);
        rmSync(filler);
        for (let round = 0; round < 40; round++) await write();
        assert.equal((await store.find(next)).kind, 'found');
      });
    },
  );
});

describe('a schema in PostgreSQL', () => {
  let server: StorePostgres;
  before(async () => {
    server = await findPostgres();
  });
  after(() => server.stop());
  const addressOf = (schema: string): string => `${server.address}?schema=${schema}`;

  it('that is absent, older or newer is refused unchanged for a reader; a writer renames an older one', async () => {
    const read = async (): Promise<unknown> => {
      const store = openStore(addressOf('aged'), { isReadOnly: true });
      try {
        return await store.list({ query: {}, limit: 1 });
      } finally {
        await store.close();
      }
    };
    await assert.rejects(read(), { code: 'PROFILER_STORE_ABSENT' });
    await closing(openStore(addressOf('aged')), async (store) => void (await appendSome(store, 2)));
    await server.query(`UPDATE aged.meta SET value = '2' WHERE name = 'version'`);
    await assert.rejects(read(), { code: 'PROFILER_STORE_OLDER' });
    assert.deepEqual(await schemasLike('aged%'), ['aged']);
    await closing(openStore(addressOf('aged')), async (store) => {
      const { tally } = await store.append({ records: [] });
      assert.equal(tally.records, 0);
      assert.match(
        tally.notice ?? '',
        /"aged" was written by an older version: it was renamed to "aged_version_2_/,
      );
    });
    await server.query(`UPDATE aged.meta SET value = '99' WHERE name = 'version'`);
    for (const isReadOnly of [true, false]) {
      const store = openStore(addressOf('aged'), { isReadOnly });
      await assert.rejects(store.list({ query: {}, limit: 1 }), { code: 'PROFILER_STORE_NEWER' });
      await store.close();
    }
    assert.equal((await schemasLike('aged%')).length, 2);
  });

  it('can be read by a role that may only select, and refuses everything that the role may not do', async () => {
    let id = -1;
    await closing(openStore(addressOf('shown')), async (store) => {
      [id = -1] = await appendSome(store, 3);
    });
    const role = `reader_${randomBytes(4).toString('hex')}`;
    await server.admin(`CREATE ROLE ${role} LOGIN PASSWORD 'only'`);
    await server.query(
      `GRANT USAGE ON SCHEMA shown TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA shown TO ${role}`,
    );
    const url = new URL(addressOf('shown'));
    url.username = role;
    url.password = 'only';
    await closing(openStore(url.href, { isReadOnly: true }), async (store) => {
      assert.equal((await store.find(id)).kind, 'found');
      assert.equal((await store.list({ query: {}, limit: 9 })).rows.length, 3);
      assert.equal((await store.totals({ groupBy: ['route'] })).groups[0]?.count, 3);
      await assert.rejects(store.update({ id }, { remove: true }), { code: 'PROFILER_STORE_REFUSED' });
    });
    await server.query(`DROP OWNED BY ${role}`).catch(() => server.query('DROP SCHEMA shown CASCADE'));
    await server.admin(`DROP ROLE ${role}`);
  });

  it("reports its server's error as the reason", async () => {
    const codes = {
      FULL: ['53100', '53200'],
      SERVER_READ_ONLY: ['25006'],
      REFUSED: ['28000', '3D000', '42501'],
      AWAY: ['08006', '57P01', '53300'],
      BUSY: ['55P03', '57014'],
      FAILED: ['XX000', '22012'],
    };
    await closing(openStore(addressOf('refusing')), async (store) => {
      const [id = -1] = await appendSome(store, 1);
      for (const [problem, states] of Object.entries(codes))
        for (const state of states) {
          await server.query(
            `CREATE OR REPLACE FUNCTION refusing.refuse() RETURNS trigger LANGUAGE plpgsql
             AS $$ BEGIN RAISE EXCEPTION 'so it is' USING ERRCODE = '${state}'; END $$;
             CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON refusing.batch EXECUTE FUNCTION refusing.refuse()`,
          );
          const appended = store.append({ records: [finished({ id: id + 100 })] });
          await assert.rejects(appended, { code: `PROFILER_STORE_${problem}` }, state);
        }
    });
  });

  it('whose tables are removed while it is open gets new ones', async () => {
    await closing(openStore(addressOf('removed')), async (store) => {
      await appendSome(store, 2);
      await server.query('DROP SCHEMA removed CASCADE');
      const [id = -1] = await appendSome(store, 1);
      assert.equal((await store.find(id)).kind, 'found');
      assert.equal((await store.append({ records: [] })).tally.records, 1);
    });
  });

  it("waits for the server's disk when it reserves ids, but not when it stores records", async () => {
    const lastStatement = async (): Promise<string> => {
      const [last] = await server.query(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lookback'
         ORDER BY query_start DESC LIMIT 1`,
      );
      return String(last?.['query']);
    };
    await closing(openStore(addressOf('waits')), async (store) => {
      const { reserved } = await store.append({ records: [], reserve: 8 });
      assert.match(await lastStatement(), /^COMMIT; SELECT pg_logical_emit_message\(true/);
      await store.append({ records: [finished({ id: reserved?.from ?? -1 })] });
      assert.equal(await lastStatement(), 'COMMIT');
    });
  });

  it('with a server that stops, hangs and returns fails each call with its reason, and works afterwards', async () => {
    const url = new URL(addressOf('outage'));
    const proxy = await startTcpProxy(url.hostname, Number(url.port || 5432));
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    await closing(openStore(url.href), async (store) => {
      const [id = -1] = await appendSome(store, 1);
      const record = finished({ id: id + 100 });
      proxy.cut();
      await assert.rejects(store.append({ records: [record] }), { code: 'PROFILER_STORE_AWAY' });
      proxy.heal();
      assert.equal((await store.append({ records: [record] })).refused, 0);
      proxy.hang();
      await assert.rejects(store.find(id), { code: 'PROFILER_STORE_BUSY' });
      proxy.heal();
      assert.equal((await store.find(id)).kind, 'found');
      assert.equal((await store.append({ records: [record] })).tally.records, 2);
    });
    await proxy.stop();
  });

  it('shows its address without the password in every error', async () => {
    const url = new URL(addressOf('secret'));
    url.password = 'hunter2-wrong';
    url.username = 'nobody_at_all';
    const store = openStore(url.href);
    await assert.rejects(store.append({ records: [] }), (error: Error) => {
      assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2/);
      return true;
    });
    await store.close();
  });

  async function schemasLike(pattern: string): Promise<unknown[]> {
    const rows = await server.query(
      `SELECT nspname FROM pg_namespace WHERE nspname LIKE '${pattern}' ORDER BY 1`,
    );
    return rows.map(({ nspname }) => nspname);
  }
});

function setVersion(path: string, version: number): void {
  const db = new (loadSqlite().DatabaseSync)(path);
  db.exec(`PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Fills the disk to the last block. */
function fill(path: string): void {
  const chunk = Buffer.alloc(4096);
  try {
    for (;;) writeFileSync(path, chunk, { flag: 'a' });
  } catch {
    // It is full.
  }
}
