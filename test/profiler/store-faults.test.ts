import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMemoryStore, createProfiler, createSqliteStore } from '#profiler';
import type { Profiler, ProfilerOptions, ProfileStore, StoreState } from '#profiler';
import { addUp, getRecord, makeRequest, watchRequest } from './watch-request.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-faults-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const faults = join(folder, 'faults.json');
process.env['LOOKBACK_TEST_FAULTS'] = faults;
const driver = fileURLToPath(new URL('../../../test/profiler/faulting-driver.cjs', import.meta.url));
const order = (fault: object): void => {
  // The thread looks at any time: it must not see half an order.
  writeFileSync(`${faults}.new`, JSON.stringify(fault));
  renameSync(`${faults}.new`, faults);
};
const noFaults = (): void => rmSync(faults, { force: true });
beforeEach(noFaults);
const writer = fileURLToPath(new URL('write-many.js', import.meta.url));
let files = 0;
const newPath = (): string => join(folder, `${files++}.db`);

async function withFile(
  path: string,
  work: (profiler: Profiler, states: StoreState[]) => Promise<void>,
  options: Partial<ProfilerOptions> = {},
): Promise<void> {
  const states: StoreState[] = [];
  const profiler = createProfiler({
    store: createSqliteStore(path, { driver }),
    storeName: `sqlite:${path}`,
    onState: (state) => states.push(state),
    ...options,
  });
  try {
    await work(profiler, states);
    addUp(profiler);
  } finally {
    noFaults();
    await profiler.close();
    addUp(profiler);
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (holds()) return;
    await sleep(10);
  }
  assert.fail(`never came: ${what}`);
}

const codes = { busy: 5, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14 };

describe('a store that fails', () => {
  for (const [name, errcode, code] of [
    ['full', codes.full, 'PROFILER_STORE_FULL'],
    ['read-only', codes.readOnly, 'PROFILER_STORE_READ_ONLY'],
    ['failing in its disk', codes.ioError, 'PROFILER_STORE_FAILED'],
  ] as const) {
    it(`${name}: records wait in memory, it is said once, and they are written when it passes`, async () => {
      await withFile(newPath(), async (profiler, states) => {
        const early = watchRequest(profiler);
        await profiler.flush();
        order({ match: 'INSERT INTO segment', errcode });
        const tokens = Array.from({ length: 5 }, () => watchRequest(profiler));
        await profiler.flush();
        await sleep(300); // for some tries in vain
        assert.deepEqual(
          states.map((state) => [state.status, state.code]),
          [['failing', code]],
        );
        assert.equal(profiler.state().status, 'failing');
        assert.deepEqual([addUp(profiler).stored, addUp(profiler).pending], [1, 5]);
        for (const token of [early, ...tokens]) await getRecord(profiler, token);
        assert.equal((await profiler.list()).rows.length, 6);
        noFaults();
        await until(() => profiler.state().status === 'ready', 'ready');
        assert.deepEqual([addUp(profiler).stored, addUp(profiler).pending], [6, 0]);
        assert.equal(states.length, 2);
        for (const token of tokens) await getRecord(profiler, token);
      });
    });
  }

  it('from its first moment: requests have tokens of twelve digits, and are stored later', async () => {
    order({ match: 'open', errcode: codes.cannotOpen });
    await withFile(newPath(), async (profiler, states) => {
      const token = watchRequest(profiler);
      assert.match(token, /^[0-9a-f]{12}$/);
      await profiler.flush();
      await getRecord(profiler, token);
      assert.deepEqual([states.length, states[0]?.code], [1, 'PROFILER_STORE_CANNOT_OPEN']);
      noFaults();
      await until(() => profiler.counters().stored === 1, 'stored');
      await getRecord(profiler, token);
      await until(() => watchRequest(profiler).length === 6, 'a leased token');
    });
  });

  it('at its n-th operation, for every n: nothing is lost, nothing is there twice', async () => {
    const path = newPath();
    await withFile(path, async (profiler) => {
      const tokens: string[] = [];
      for (let nth = 1; nth <= 30; nth++) {
        order({ nth, errcode: nth % 2 === 0 ? codes.full : codes.ioError });
        tokens.push(watchRequest(profiler));
        await profiler.flush();
        addUp(profiler);
      }
      noFaults();
      await until(() => profiler.counters().pending === 0, 'all stored');
      const counters = addUp(profiler);
      assert.deepEqual([counters.made, counters.stored, counters.renamed], [30, 30, 0]);
      for (const token of tokens) await getRecord(profiler, token);
      assert.equal(countRecords(path), 30);
    });
  });

  for (const crash of ['before', 'after'] as const) {
    it(`whose thread ends ${crash} a commit: it is started again, and every record is there once`, async () => {
      const path = newPath();
      await withFile(path, async (profiler, states) => {
        watchRequest(profiler);
        await profiler.flush();
        order({ match: 'COMMIT', crash });
        const tokens = Array.from({ length: 3 }, () => watchRequest(profiler));
        await profiler.flush();
        await until(() => states.length > 0, 'a report');
        assert.equal(states[0]?.code, 'PROFILER_STORE_WRITER');
        noFaults();
        await until(() => profiler.counters().pending === 0, 'all stored');
        for (const token of tokens) await getRecord(profiler, token);
        assert.deepEqual([addUp(profiler).stored, addUp(profiler).renamed, countRecords(path)], [4, 0, 4]);
      });
    });
  }

  it('forever: what waits is bounded, what is dropped is counted, the newest stay', async () => {
    order({ match: 'INSERT INTO segment', errcode: codes.full });
    await withFile(
      newPath(),
      async (profiler) => {
        let token = '';
        let gone = '';
        for (let count = 0; count < 900; count++) {
          token = watchRequest(profiler, { body: 'x'.repeat(100) });
          if (count === 400) gone = token;
        }
        await profiler.flush();
        const { pending, dropped, made } = addUp(profiler);
        assert.ok(pending <= 60 && pending >= 40, `${pending} pending`);
        assert.equal(dropped['queue-full'], made - pending);
        await getRecord(profiler, token);
        assert.deepEqual(await profiler.find(gone), { kind: 'missing', isDropped: true });
      },
      { batch: { records: 10 }, queue: { records: 50 } },
    );
  });

  it('whose connection takes the file as held for good: another one is made', async () => {
    await withFile(newPath(), async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
      order({ match: 'INSERT INTO segment', errcode: codes.busy, sticks: true });
      const token = watchRequest(profiler);
      await profiler.flush();
      await until(() => profiler.state().code === 'PROFILER_STORE_BUSY', 'a report');
      noFaults();
      await until(() => profiler.counters().pending === 0, 'all stored');
      await getRecord(profiler, token);
    });
  });

  it('that never answers does not hold up the end', async () => {
    const memory = createMemoryStore();
    const never = new Promise<never>(() => {});
    const store: ProfileStore = {
      lease: (amount) => memory.lease(amount),
      write: () => never,
      find: (key) => memory.find(key),
      search: (search) => memory.search(search),
      tally: () => memory.tally(),
      prune: () => never,
      close: () => never,
    };
    const profiler = createProfiler({ store, storeName: 'hanging' });
    const token = watchRequest(profiler);
    await getRecord(profiler, token);
    await profiler.close();
    assert.equal(addUp(profiler).dropped['not-written-at-close'], 1);
  });
});

describe('a file that others use', () => {
  it('and hold as a whole: neither a start nor a lookup holds up the process, and all is stored when it is free', async () => {
    const path = newPath();
    // By another process: connections of this one may live on until their statements are collected.
    assert.equal(spawnSync(process.execPath, [writer, path, '1']).status, 0);
    const holder = openReal(path);
    holder.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE total SET records = records; COMMIT',
    );
    await withFile(path, async (profiler) => {
      let longest = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      const token = watchRequest(profiler);
      assert.match(token, /^[0-9a-f]{12}$/);
      assert.equal((await profiler.list()).complete, false);
      clearInterval(beat);
      assert.ok(longest < 1000, `${longest} ms`);
      await getRecord(profiler, token);
      holder.close();
      await until(() => profiler.counters().pending === 0, 'all stored');
      assert.equal(profiler.counters().stored, 1);
    });
  });

  it('a record is found by another reader as soon as its request is over', async () => {
    const path = newPath();
    await withFile(path, async (profiler) => {
      await withFile(path, async (other) => {
        watchRequest(profiler);
        await profiler.flush();
        for (let count = 0; count < 5; count++) {
          assert.equal((await other.find(watchRequest(profiler))).kind, 'found');
        }
        const open = profiler.begin(makeRequest({ target: '/long' })).token;
        assert.deepEqual(await other.find(open), { kind: 'unwritten' });
      });
    });
  });

  it('says what it holds right after the start', async () => {
    const path = newPath();
    await withFile(path, async (profiler) => {
      for (let count = 0; count < 3; count++) watchRequest(profiler);
      await profiler.flush();
    });
    await withFile(path, async (profiler) => {
      assert.equal(profiler.state().records, null);
      profiler.start();
      await until(() => profiler.state().records !== null, 'a figure');
      assert.equal(profiler.state().records, 3);
    });
  });
});

describe('a file that is none of ours, or not in order', () => {
  const damage: Record<string, (path: string) => void> = {
    'garbage instead of a database': (path) => writeFileSync(path, 'no database '.repeat(3000)),
    'its header overwritten': (path) => overwrite(path, 0, 64),
    'cut off in the middle': (path) => truncateSync(path, 9000),
    'its pages overwritten': (path) => overwrite(path, 8192, 60_000),
  };
  for (const [name, spoil] of Object.entries(damage)) {
    it(`${name}: it is set aside under a name that is shown, and a new one is begun`, async () => {
      const whole = newPath();
      await withFile(whole, async (profiler) => {
        watchRequest(profiler);
        await profiler.flush();
      });
      execute(whole, 'PRAGMA wal_checkpoint(TRUNCATE)');
      const path = newPath();
      copyFileSync(whole, path);
      spoil(path);
      await withFile(path, async (profiler) => {
        const token = watchRequest(profiler);
        await profiler.flush();
        await getRecord(profiler, token);
        const { setAside, status } = profiler.state();
        assert.equal(status, 'ready', profiler.state().message);
        assert.ok(setAside !== null && existsSync(setAside), String(setAside));
        assert.equal(addUp(profiler).stored, 1);
      });
    });
  }

  it('damaged while in use: what was in it is counted as lost, and new records are kept', async () => {
    const path = newPath();
    await withFile(path, async (profiler) => {
      for (let count = 0; count < 3; count++) watchRequest(profiler);
      await profiler.flush();
      writeFileSync(`${path}.garbage`, 'no database '.repeat(3000));
      renameSync(`${path}.garbage`, path);
      for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true });
      const token = watchRequest(profiler);
      await profiler.flush();
      const counters = addUp(profiler);
      assert.deepEqual([counters.stored, counters.dropped['store-set-aside']], [1, 3]);
      assert.match(profiler.state().setAside ?? '', /\.damaged-/);
      await getRecord(profiler, token);
      assert.match(watchRequest(profiler), /^[0-9a-f]{6}$/);
    });
  });

  for (const [name, spoil] of [
    ['cut off to nothing', (path: string): void => truncateSync(path, 0)],
    ['cut off in the middle', (path: string): void => truncateSync(path, 40_000)],
    ['written over', (path: string): void => writeFileSync(path, 'no database '.repeat(30_000))],
  ] as const) {
    it(`${name} while in use: it is seen at the next write or at the end, and what was lost is not called stored`, async () => {
      const path = newPath();
      let token = '';
      await withFile(path, async (profiler) => {
        for (let count = 0; count < 40; count++) token = watchRequest(profiler, { body: noise(4000) });
        await profiler.flush();
      });
      let inUse: Profiler | undefined;
      await withFile(path, async (profiler) => {
        inUse = profiler;
        watchRequest(profiler);
        await profiler.flush();
        spoil(path);
      });
      assert.ok(inUse !== undefined);
      const { stored, dropped } = addUp(inUse);
      assert.deepEqual([stored, dropped['store-set-aside']], [0, 1]);
      assert.match(inUse.state().setAside ?? '', /\.damaged-/);
      await withFile(path, async (profiler) => {
        assert.deepEqual(await profiler.find(token), { kind: 'missing', isSetAside: true });
      });
    });
  }

  it('found by a clock that is 400 days ahead: nothing is taken for old; when both clocks agree, it is', async () => {
    const path = newPath();
    let token = '';
    const ago = (days: number): void =>
      execute(path, `UPDATE segment SET written_at = written_at - ${days * 24 * 3600 * 1000}`);
    const watchOne = async (): Promise<void> =>
      withFile(path, async (profiler) => {
        token = watchRequest(profiler);
        await profiler.flush();
      });
    await watchOne();
    ago(400);
    await withFile(path, async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
      await getRecord(profiler, token);
    });
    await withFile(path, async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
      assert.deepEqual(await profiler.find(token), { kind: 'pruned', by: 'age' });
    });
    await watchOne();
    ago(10);
    await withFile(path, async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
      assert.deepEqual(await profiler.find(token), { kind: 'pruned', by: 'age' });
    });
  });

  it('removed while in use: a new one is begun, and the loss is counted', async () => {
    const path = newPath();
    await withFile(path, async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
      for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
      const token = watchRequest(profiler);
      await profiler.flush();
      await getRecord(profiler, token);
      const { stored, dropped } = addUp(profiler);
      assert.deepEqual([stored, dropped['store-set-aside'], countRecords(path)], [1, 1, 1]);
    });
  });

  it('of the form before: it is set aside under a name that is shown, and a new one is begun', async () => {
    const path = newPath();
    await withFile(path, async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
    });
    execute(path, 'PRAGMA user_version = 4');
    await withFile(path, async (profiler) => {
      const token = watchRequest(profiler);
      await profiler.flush();
      await getRecord(profiler, token);
      const { setAside } = profiler.state();
      assert.match(setAside ?? '', /\.older-/);
      assert.ok(setAside !== null && existsSync(setAside));
      assert.deepEqual([countRecords(path), countRecords(setAside)], [1, 1]);
    });
  });

  it('of another application, or of a newer version: it is left untouched', async () => {
    const foreign = newPath();
    execute(foreign, 'CREATE TABLE users (name)', 'INSERT INTO users VALUES (1)');
    const newer = newPath();
    await withFile(newer, async (profiler) => {
      watchRequest(profiler);
      await profiler.flush();
    });
    // Without the checkpoint it may lie in the log until someone closes the file, and move then.
    execute(newer, 'PRAGMA user_version = 999', 'PRAGMA wal_checkpoint(TRUNCATE)');
    for (const [path, code] of [
      [foreign, 'PROFILER_STORE_FOREIGN'],
      [newer, 'PROFILER_STORE_NEWER'],
    ] as const) {
      const before = readFileSync(path);
      await withFile(path, async (profiler, states) => {
        const token = watchRequest(profiler);
        await profiler.flush();
        await getRecord(profiler, token);
        assert.deepEqual([states[0]?.code, profiler.state().status], [code, 'failing']);
      });
      assert.ok(readFileSync(path).equals(before));
    }
  });

  it('a place where nothing can be: the service goes on and says why', async () => {
    const file = newPath();
    writeFileSync(file, 'a file, no folder');
    for (const path of [join(file, 'profiler.db'), '/proc/lookback/profiler.db']) {
      await withFile(path, async (profiler, states) => {
        const token = watchRequest(profiler);
        await profiler.flush();
        await getRecord(profiler, token);
        const { rows, complete } = await profiler.list();
        assert.deepEqual([rows.map((row) => row.token), complete], [[token], false]);
        assert.equal(profiler.counters().failures, 0);
        assert.match(states[0]?.code ?? '', /^PROFILER_STORE_(CANNOT_OPEN|FAILED)$/);
        assert.notEqual(states[0]?.message, '');
      });
    }
  });
});

function noise(length: number): string {
  return randomBytes(length / 2).toString('hex');
}

function overwrite(path: string, from: number, length: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, from, Math.min(bytes.length, from + length));
  writeFileSync(path, bytes);
}

function execute(path: string, ...statements: string[]): void {
  const db = openReal(path);
  for (const sql of statements) db.exec(sql);
  db.close();
}

function countRecords(path: string): number {
  const db = openReal(path);
  const row = db.prepare('SELECT sum(end - start) AS n FROM key_range').get();
  db.close();
  return Number(row['n']);
}

function openReal(path: string): {
  exec(sql: string): void;
  prepare(sql: string): { get(): Record<string, unknown> };
  close(): void;
} {
  // The module is without faults here: no order is given.
  return new (createRequire(import.meta.url)(driver).DatabaseSync)(path);
}
