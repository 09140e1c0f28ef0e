import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  createProfiler,
  createStore,
  openArchive,
  type Profiler,
  type StoreState,
  storeNameOf,
} from '#profiler';
import { loadSqlite } from '../../src/profiler/store/sqlite/sqlite-database.js';
import { startRedis, type TestRedis } from '../security/start-redis.js';
import { findPostgres, type StorePostgres } from './store-servers.js';
import { startTcpProxy } from './tcp-proxy.js';
import { addUp, getRecord, watchRequest } from './watch-request.js';

const script = fileURLToPath(new URL('write-shared.js', import.meta.url));
let postgres: StorePostgres;
let redis: TestRedis;
let stores = 0;
before(async () => {
  [postgres, redis] = await Promise.all([findPostgres(), startRedis()]);
});
after(() => Promise.all([postgres.stop(), redis.stop()]));

const folder = mkdtempSync(join(tmpdir(), 'lookback-shared-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const kinds = {
  sqlite: () => `sqlite:${join(folder, `${stores++}.db`)}`,
  postgres: () => `${postgres.address}?schema=f${stores++}`,
  redis: () => `${redis.url}?prefix=f${process.pid}-${stores++}`,
};

function open(address: string, states: StoreState[] = []): Profiler {
  return createProfiler({
    store: createStore(address),
    storeName: address,
    onState: (state) => states.push(state),
  });
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    if (await holds()) return;
    await sleep(10);
  }
  assert.fail(`never came: ${what}`);
}

/** Runs a writer; gives the tokens that it said were stored, and how it ended. */
async function write(
  address: string,
  count: number,
  { killAt = Number.POSITIVE_INFINITY, env = {} }: { killAt?: number; env?: Record<string, string> } = {},
): Promise<{ tokens: string[]; code: number | null }> {
  const child = spawn(process.execPath, [script, address, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.length > killAt * 7) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null]; // the first argument of 'close'
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return { tokens: whole.split('\n').filter((token) => token !== ''), code };
}

/** Fails unless all of them are there, each once, and the accounts of all processes add up. */
async function check(address: string, tokens: readonly string[]): Promise<void> {
  assert.equal(new Set(tokens).size, tokens.length, 'no token twice');
  const profiler = open(address);
  try {
    // By list as well as by name.
    const listed = new Set<string>();
    for (let before: string | null | undefined; before !== null;) {
      const page = await profiler.list({ limit: 1000, ...(before === undefined ? {} : { before }) });
      for (const { token } of page.rows) listed.add(token);
      before = page.next;
    }
    assert.deepEqual(
      tokens.filter((token) => !listed.has(token)),
      [],
    );
    for (const token of tokens.slice(0, 40)) await getRecord(profiler, token);
    const processes = await profiler.processes();
    for (const { made, stored, pruned, dropped, pending, pid } of processes)
      assert.equal(made, stored + pruned + dropped + pending, `process ${pid}`);
    assert.equal(
      processes.reduce((sum, { stored }) => sum + stored, 0),
      listed.size,
    );
  } finally {
    await profiler.close();
  }
}

async function countMade(address: string): Promise<number> {
  const store = createStore(address);
  const processes = (await store.processes?.()) ?? [];
  await store.close();
  return processes.reduce((sum, { made }) => sum + made, 0);
}

for (const [kind, newAddress] of Object.entries(kinds)) {
  describe(`a store that processes share (${kind})`, () => {
    for (const count of [2, 4, 8])
      it(`P5: ${count} writers at once: no token twice, no record lost, the accounts add up`, async () => {
        const address = newAddress();
        const results = await Promise.all(Array.from({ length: count }, () => write(address, 200)));
        assert.deepEqual(
          results.map(({ code }) => code),
          results.map(() => 0),
        );
        const tokens = results.flatMap((one) => one.tokens);
        assert.equal(tokens.length, count * 200);
        await check(address, tokens);
        assert.equal(await countMade(address), tokens.length);
      });

    it('a reader of its records changes nothing in it, and makes none where there is none', async () => {
      const address = newAddress();
      const read = async (): Promise<number> => {
        const store = createStore(address, {}, { isReadOnly: true });
        try {
          const archive = await openArchive(store, address);
          return (await archive.list({ limit: 10 })).rows.length;
        } finally {
          await store.close();
        }
      };
      for (let time = 0; time < 2; time++) await assert.rejects(read, { code: 'PROFILER_STORE_ABSENT' });
      await write(address, 3);
      for (let time = 0; time < 3; time++) assert.equal(await read(), 3);
      const store = createStore(address);
      assert.equal((await store.processes?.())?.length, 1);
      await store.close();
    });

    it('writers that are killed: what was said to be stored is there, and the sum is right', async () => {
      const address = newAddress();
      const runs = await Promise.all([
        write(address, 1e6, { killAt: 60 }),
        write(address, 1e6, { killAt: 150 }),
        write(address, 200),
      ]);
      for (const { tokens } of runs) assert.ok(tokens.length > 0);
      await check(
        address,
        runs.flatMap(({ tokens }) => tokens),
      );
    });

    it('is read by the command line beside the processes that write', async () => {
      const address = newAddress();
      const profiler = open(address);
      try {
        const token = watchRequest(profiler, { source: { target: '/from/afar' } });
        await profiler.flush();
        const cli = spawn(process.execPath, ['dist/bundle/cli.js', 'records', '--json', 'path:/from/*'], {
          env: { PATH: process.env['PATH'], PROFILER_STORE: address },
        });
        let out = '';
        for (const stream of [cli.stdout, cli.stderr]) stream.on('data', (chunk) => (out += String(chunk)));
        const [code] = (await once(cli, 'close')) as [unknown]; // of the event
        assert.equal(code, 0, out);
        assert.equal((JSON.parse(out) as { token: string }).token, token);
      } finally {
        await profiler.close();
      }
    });

    it('is followed by the command line while another process writes', async () => {
      const address = newAddress();
      await write(address, 1);
      const cli = spawn(process.execPath, ['dist/bundle/cli.js', 'records', '--follow', '--json'], {
        env: { PATH: process.env['PATH'], PROFILER_STORE: address },
      });
      try {
        let out = '';
        for (const stream of [cli.stdout, cli.stderr]) stream.on('data', (chunk) => (out += String(chunk)));
        // It follows from the moment on in which it has opened the store.
        const early: string[] = [];
        await until(async () => {
          early.push(...(await write(address, 1)).tokens);
          return early.some((token) => out.includes(token));
        }, 'begun');
        const { tokens } = await write(address, 20);
        await until(() => tokens.every((token) => out.includes(`"token":"${token}"`)), 'followed');
        const lines = out.trim().split('\n');
        assert.equal(new Set(lines).size, lines.length, 'each once');
      } finally {
        cli.kill('SIGKILL');
      }
    });

    it('a process that ends at once leaves its last record', async () => {
      const address = newAddress();
      const { tokens, code } = await write(address, 25, { env: { LOOKBACK_TEST_END: 'exit' } });
      assert.deepEqual([tokens.length, code], [25, 0]);
      const profiler = open(address);
      const { rows } = await profiler.list();
      assert.deepEqual([rows.length, rows[0]?.path], [26, '/the-last']);
      const [account] = (await profiler.processes()).filter(({ made }) => made > 0);
      assert.deepEqual([account?.made, account?.stored, account?.pending], [26, 26, 0]);
      if (kind !== 'sqlite') assert.equal(account?.state, 'ended');
      await profiler.close();
    });

    it('each shows what the others recorded within a second, and says which process and version made it', async () => {
      const address = newAddress();
      process.env['APP_VERSION'] = '4.5.6';
      const [one, other] = [open(address), open(address)];
      delete process.env['APP_VERSION'];
      try {
        watchRequest(one);
        await one.flush();
        assert.equal((await other.list()).rows.length, 1);
        const times: number[] = [];
        for (let count = 0; count < 3; count++) {
          const token = watchRequest(one, { source: { target: `/fresh/${count}` } });
          const begun = performance.now();
          await until(async () => (await other.find(token)).kind === 'found', 'found');
          times.push(performance.now() - begun);
        }
        // A busy machine may hold up one of them.
        assert.ok(Math.min(...times) < 1000, `${times.join(', ')} ms`);
        const [row] = (await other.list()).rows;
        assert.deepEqual([row?.version, row?.instance?.endsWith(`:${process.pid}`)], ['4.5.6', true]);
      } finally {
        await one.close();
        await other.close();
      }
    });

    it('a list on one follows what another records', async () => {
      const address = newAddress();
      const [one, other] = [open(address), open(address)];
      try {
        watchRequest(one);
        await one.flush();
        const start = await other.news({}, null);
        assert.ok(start !== undefined);
        let wakes = 0;
        const stop = other.onNews(() => wakes++);
        await until(() => wakes > 0, 'listening');
        const before = wakes;
        const token = watchRequest(one, { source: { target: '/followed' } });
        await until(() => wakes > before, 'woken');
        let position = start.position;
        const seen: string[] = [];
        await until(async () => {
          const news = await other.news({}, position);
          position = news?.position ?? position;
          seen.push(...(news?.rows ?? []).map((row) => row.token));
          return seen.length > 0;
        }, 'news');
        assert.deepEqual(seen, [token]);
        assert.deepEqual((await other.news({}, position))?.rows, []);
        // Another instance goes on from the position of this one.
        const third = open(address);
        const late = watchRequest(one, { source: { target: '/later' } });
        await one.flush();
        const news = await third.news({}, position);
        assert.deepEqual([news?.isGap, news?.rows.map((row) => row.token)], [false, [late]]);
        stop();
        await third.close();
      } finally {
        await one.close();
        await other.close();
      }
    });

    it('a clock that jumps, back or ahead, ages nothing', async () => {
      const address = newAddress();
      const { tokens } = await write(address, 50);
      const store = createStore(address, { ageMs: 60_000 });
      assert.equal((await store.prune()).records, 50);
      await store.close();
      // While they write: by a year, and the thread's clock with it.
      const shift = fileURLToPath(new URL('../../../test/profiler/clock-shift.cjs', import.meta.url));
      const shifted = await Promise.all(
        [365, -365].map((days) =>
          write(address, 100, {
            env: { NODE_OPTIONS: `--require ${shift}`, LOOKBACK_TEST_CLOCK_DAYS: String(days) },
          }),
        ),
      );
      assert.deepEqual(
        shifted.map(({ code }) => code),
        [0, 0],
      );
      await check(address, [...tokens, ...shifted.flatMap((one) => one.tokens)]);
    });
  });
}

describe('a store that a newer version takes over while a process of this one writes', () => {
  const takeOver = {
    sqlite(address: string): void {
      const path = address.slice('sqlite:'.length);
      for (const ending of ['', '-wal', '-shm'])
        if (existsSync(path + ending)) renameSync(path + ending, `${path}.older${ending}`);
      const db = new (loadSqlite().DatabaseSync)(path);
      db.exec('PRAGMA application_id = 0x4c6b626b; PRAGMA user_version = 999; CREATE TABLE other (name)');
      db.close();
    },
    async postgres(address: string): Promise<void> {
      const schema = new URL(address).searchParams.get('schema');
      await postgres.query(`
        BEGIN; LOCK TABLE ${schema}.process; ALTER SCHEMA ${schema} RENAME TO ${schema}_older; CREATE SCHEMA ${schema};
        CREATE TABLE ${schema}.meta (name text PRIMARY KEY, value text NOT NULL);
        INSERT INTO ${schema}.meta VALUES ('version', '999'), ('oldest', '999'); COMMIT`);
    },
  } as const;
  for (const kind of ['sqlite', 'postgres'] as const)
    it(`${kind}: the process reports it, changes nothing there, and keeps its records in memory`, async () => {
      const address = kinds[kind]();
      const states: StoreState[] = [];
      const profiler = open(address, states);
      try {
        const first = watchRequest(profiler);
        await profiler.flush();
        await getRecord(profiler, first);
        await takeOver[kind](address);
        const second = watchRequest(profiler);
        await profiler.flush();
        await until(() => states.some(({ code }) => code === 'PROFILER_STORE_NEWER'), 'reported');
        await getRecord(profiler, second);
        assert.equal(profiler.counters().pending, 1);
        if (kind === 'postgres') {
          const schema = new URL(address).searchParams.get('schema');
          const tables = await postgres.query(
            `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`,
          );
          assert.deepEqual(tables, [{ tablename: 'meta' }]);
        }
        addUp(profiler);
      } finally {
        await profiler.close();
      }
      addUp(profiler);
    });
});

describe('a store on a server', () => {
  for (const kind of ['postgres', 'redis'] as const) {
    it(`${kind} hangs, and is away: no request waits, drops are counted, and it recovers automatically`, async () => {
      const address = new URL(kinds[kind]());
      const proxy = await startTcpProxy(
        address.hostname,
        Number(address.port) || (kind === 'redis' ? 6379 : 5432),
      );
      address.hostname = '127.0.0.1';
      address.port = String(proxy.port);
      const states: StoreState[] = [];
      const profiler = createProfiler({
        store: createStore(address.href),
        storeName: address.href,
        onState: (state) => states.push(state),
        batch: { records: 10, delayMs: 20 },
        queue: { records: 50 },
      });
      try {
        const first = watchRequest(profiler);
        await profiler.flush();
        for (const fault of ['hang', 'cut'] as const) {
          proxy[fault]();
          const begun = process.cpuUsage();
          let token = '';
          for (let count = 0; count < 200; count++) token = watchRequest(profiler);
          assert.ok(process.cpuUsage(begun).user < 1_000_000, 'requests are not slowed');
          assert.equal((await profiler.find(token)).kind, 'found');
          await until(() => profiler.state().status === 'failing', 'told');
          assert.equal(profiler.state().code, 'PROFILER_STORE_AWAY');
          assert.ok(addUp(profiler).dropped['queue-full'] > 0);
          assert.equal((await profiler.list({ limit: 10 })).rows[0]?.token, token);
          proxy.heal();
          await until(() => profiler.counters().pending === 0, 'all written');
          assert.equal(profiler.state().status, 'ready');
          await getRecord(profiler, token);
        }
        await getRecord(profiler, first);
        const { made, dropped } = addUp(profiler);
        const [account] = await profiler.processes();
        assert.ok(account !== undefined);
        await until(async () => (await profiler.processes())[0]?.made === made, 'its account');
        assert.equal((await profiler.processes())[0]?.dropped, dropped['queue-full']);
      } finally {
        await profiler.close();
        await proxy.stop();
      }
      addUp(profiler);
    });
  }
});

describe('a store in PostgreSQL', () => {
  it('whose tables are removed: they are made anew, numbers go on, and what was in them is counted as lost', async () => {
    const address = kinds.postgres();
    const profiler = open(address);
    try {
      const first = watchRequest(profiler);
      await profiler.flush();
      const schema = new URL(address).searchParams.get('schema');
      // Again where the server ends it, since the store reads the tables in another order.
      await until(
        () =>
          postgres.query(`DROP SCHEMA ${schema} CASCADE`).then(
            () => true,
            () => false,
          ),
        'dropped',
      );
      const second = watchRequest(profiler);
      await profiler.flush();
      await until(() => profiler.counters().pending === 0, 'written');
      const counters = addUp(profiler);
      assert.deepEqual([counters.stored, counters.dropped['store-set-aside']], [1, 1]);
      await getRecord(profiler, second);
      assert.notEqual((await profiler.find(first)).kind, 'found');
    } finally {
      await profiler.close();
    }
  });

  it('that a newer version has changed is written on, unless that says that it must not be', async () => {
    const address = kinds.postgres();
    const schema = new URL(address).searchParams.get('schema');
    const old = open(address);
    const first = watchRequest(old);
    await old.flush();
    await postgres.query(`ALTER TABLE ${schema}.segment ADD COLUMN brand_new text NOT NULL DEFAULT 'x'`);
    await postgres.query(`UPDATE ${schema}.meta SET value = '3' WHERE name = 'version'`);
    const second = watchRequest(old);
    await old.flush();
    await old.close();
    assert.equal(addUp(old).stored, 2);
    const states: StoreState[] = [];
    const again = open(address, states);
    for (const token of [first, second]) await getRecord(again, token);
    await again.close();
    await postgres.query(`UPDATE ${schema}.meta SET value = '3' WHERE name = 'oldest'`);
    const refused = open(address, states);
    watchRequest(refused);
    await refused.flush();
    await until(() => states.some(({ code }) => code === 'PROFILER_STORE_NEWER'), 'refused');
    await refused.close();
  });

  it('that notes a process with its first numbers while its first write does so keeps both', async () => {
    const address = kinds.postgres();
    const schema = new URL(address).searchParams.get('schema');
    const store = createStore(address);
    try {
      await store.tally();
      // The write has looked for its process, which is not there yet, and is held where it notes it.
      await postgres.query(`
        CREATE FUNCTION ${schema}.hold() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF current_query() LIKE 'INSERT%' THEN PERFORM pg_advisory_xact_lock(7); END IF;
            RETURN NEW;
          END $$;
        CREATE TRIGGER hold BEFORE INSERT ON ${schema}.process FOR EACH ROW EXECUTE FUNCTION ${schema}.hold();
        SELECT pg_advisory_lock(7)`);
      const written = store.write([]);
      await until(async () => {
        const held = await postgres.query(
          `SELECT 1 FROM pg_locks JOIN pg_database ON database = pg_database.oid
           WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted AND objid = 7`,
        );
        return held.length === 1;
      }, 'a write that is held');
      const { from, to } = await store.lease(10);
      await postgres.query('SELECT pg_advisory_unlock(7)');
      assert.deepEqual([to - from, (await written).records], [10, 0]);
    } finally {
      await store.close();
    }
  });

  it('of an older form is set aside under a name that is shown, and names of records go on', async () => {
    const address = kinds.postgres();
    const schema = new URL(address).searchParams.get('schema');
    const old = open(address);
    const first = watchRequest(old);
    await old.close();
    await postgres.query(`UPDATE ${schema}.meta SET value = '1' WHERE name IN ('version', 'oldest')`);
    const states: StoreState[] = [];
    const again = open(address, states);
    const second = watchRequest(again);
    await again.flush();
    await getRecord(again, second);
    assert.deepEqual(await again.find(first), { kind: 'missing', isSetAside: true });
    assert.equal(again.state().setAside, `${schema}_version_1`);
    await again.close();
    const left = await postgres.query(`SELECT records FROM ${schema}_version_1.segment`);
    assert.deepEqual(
      left.map(({ records }) => Number(records)),
      [1],
    );
  });

  it('drops the tables of days that are too old, and says of their records that they went by age', async () => {
    const address = kinds.postgres();
    const schema = new URL(address).searchParams.get('schema');
    const { tokens } = await write(address, 75);
    const date = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
    const today = date(Date.now());
    // As if they had been written three days ago.
    const day = Math.floor(Date.now() / 86_400_000) - 3;
    const old = date(day * 86_400_000);
    const dayIds = 86_400_000 * 2048;
    const range = `FOR VALUES FROM (${day * dayIds}) TO (${(day + 1) * dayIds})`;
    await postgres.query(`
      SET search_path TO ${schema};
      CREATE TABLE segment_${old} PARTITION OF segment ${range};
      CREATE TABLE key_range_${old} PARTITION OF key_range ${range};
      UPDATE segment SET id = id - ${3 * dayIds};
      UPDATE key_range SET segment = segment - ${3 * dayIds};`);
    const store = createStore(address, { ageMs: 86_400_000 });
    assert.equal((await store.prune()).records, 0);
    await store.close();
    const left = await postgres.query(
      `SELECT relname FROM pg_class WHERE relname LIKE 'key_range_%' AND relkind = 'r' AND relnamespace = '${schema}'::regnamespace`,
    );
    assert.ok(left.some(({ relname }) => relname === `key_range_${today}`));
    assert.ok(!left.some(({ relname }) => relname === `key_range_${old}`));
    const profiler = open(address);
    assert.deepEqual(await profiler.find(tokens.find((token) => token.length === 6) ?? ''), {
      kind: 'pruned',
      by: 'age',
    });
    const [account] = (await profiler.processes()).filter(({ made }) => made > 0);
    assert.deepEqual([account?.stored, account?.pruned], [0, 75]);
    await profiler.close();
  });
});

describe('the address of a store', () => {
  it('is shown without its password', () => {
    assert.equal(storeNameOf('postgres://ada:s3/cret@db:5432/x?sslmode=require'), 'postgres://ada@db:5432/x');
    assert.equal(storeNameOf('redis://:secret@cache/1'), 'redis://cache/1');
    assert.equal(storeNameOf('sqlite:var/x.db'), 'sqlite:var/x.db');
  });
});
