import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { ProfileStore, StoreTally } from '#profiler';
import { createSqliteStore } from '#profiler';
import { makeSegment } from '#testing';

const folder = mkdtempSync(join(tmpdir(), 'lookback-disk-'));
const disk = join(folder, 'small');
const isMounted = mountSmallDisk(disk);
after(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

const pause = new Int32Array(new SharedArrayBuffer(4));
const perSegment = 100;

/** Writes a segment of records that cannot be compressed well, some 250 kB. */
async function writeNoise(
  store: ProfileStore,
  { number, from }: { number: number; from: number },
): Promise<StoreTally> {
  const requests = Array.from({ length: perSegment }, () => ({
    path: `/${randomBytes(2500).toString('base64url')}`,
  }));
  const keys = requests.map((_, place) => from + place);
  return store.write([{ ...(await makeSegment(requests)), number, keys }]);
}

function bytesOf(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

describe('a SQLite store on its disk', () => {
  it('searches on where its writer opens the file meanwhile', async () => {
    const file = join(folder, 'searched.db');
    const before = createSqliteStore(file);
    for (let number = 1; number <= 60; number++)
      await before.write([{ ...(await makeSegment([{ path: '/slow' }])), number, keys: [number] }]);
    await before.close();
    const store = createSqliteStore(file);
    const search = {
      query: {},
      get limit() {
        Atomics.wait(pause, 0, 0, 12); // longer than a search goes on before it gives way
        return 100;
      },
    };
    try {
      const [{ rows, complete }] = await Promise.all([store.search(search), store.prune()]);
      assert.deepEqual([rows.length, complete], [60, true]);
    } finally {
      await store.close();
    }
  });

  it('takes no more bytes than its limit, the log included', async () => {
    const file = join(folder, 'limited.db');
    const limit = 4 * 1024 * 1024;
    const store = createSqliteStore(file, { retention: { bytes: limit } });
    try {
      const { from } = await store.lease(perSegment * 60);
      let [most, pruned] = [0, 0];
      for (let number = 1; number <= 60; number++) {
        const tally = await writeNoise(store, { number, from: from + (number - 1) * perSegment });
        most = Math.max(most, bytesOf(file));
        pruned = tally.pruned.bytes;
        assert.equal(tally.records + pruned, number * perSegment);
      }
      assert.ok(pruned > 0);
      assert.ok(most <= limit * 1.05, `${most} of ${limit} bytes`);
      assert.ok(most > limit / 2, `only ${most} of ${limit} bytes are used`);
    } finally {
      await store.close();
    }
  });

  it(
    'keeps working on a disk that is smaller than the limit',
    { skip: !isMounted && 'no small disk can be mounted' },
    async () => {
      const store = createSqliteStore(join(disk, 'profiler.db'), { retention: { bytes: 256 * 1024 * 1024 } });
      try {
        const { from } = await store.lease(perSegment * 60);
        for (let number = 1; number <= 60; number++) {
          const tally = await writeNoise(store, { number, from: from + (number - 1) * perSegment });
          assert.equal(tally.records + tally.pruned.bytes, number * perSegment);
        }
        assert.equal(typeof (await store.find(from + 59 * perSegment)), 'object');
      } finally {
        await store.close();
      }
    },
  );

  it(
    'gets room again where its file fills the disk',
    { skip: !isMounted && 'no small disk can be mounted' },
    async () => {
      const file = join(disk, 'profiler.db');
      const resize = (size: string): unknown => spawnSync('mount', ['-o', `remount,size=${size}`, disk]);
      rmSync(file, { force: true });
      resize('16m');
      await fillBeyondDisk(file);
      resize('5m');
      assert.ok(bytesOf(file) > 2.5 * 1024 * 1024);
      fillDisk(join(disk, 'filler'));
      const store = createSqliteStore(file);
      try {
        const from = 1_000_000; // there is no room for a lease
        let tally: StoreTally | undefined;
        for (let attempt = 0; attempt < 8 && tally === undefined; attempt++)
          tally = await writeNoise(store, { number: 1, from }).catch(() => undefined);
        assert.ok(tally !== undefined, 'the store never took a record');
        assert.equal(typeof (await store.find(from)), 'object');
      } finally {
        await store.close();
        rmSync(join(disk, 'filler'));
        resize('6m');
      }
    },
  );

  it(
    'works again after others filled the disk',
    { skip: !isMounted && 'no small disk can be mounted' },
    async () => {
      const filler = join(disk, 'filler');
      const file = join(disk, 'profiler.db');
      const store = createSqliteStore(file);
      try {
        const { from } = await store.lease(perSegment * 400);
        fillDisk(filler);
        let tally: StoreTally | undefined;
        for (let number = 1; number <= 60 && tally === undefined; number++) {
          tally = await writeNoise(store, { number, from: from + number * perSegment }).catch(
            (error: unknown) => {
              assert.equal((error as { code?: string }).code, 'PROFILER_STORE_FULL'); // the only failure there may be
              return undefined;
            },
          );
        }
        rmSync(filler);
        await writeNoise(store, { number: 100, from: from + 100 * perSegment });
        assert.equal(typeof (await store.find(from + 100 * perSegment)), 'object');
      } finally {
        await store.close();
      }
    },
  );
});

/** A store that was filled while its file system had no limit to speak of, with a log that takes all room. */
async function fillBeyondDisk(file: string): Promise<void> {
  const store = createSqliteStore(file);
  const { from } = await store.lease(perSegment * 40);
  for (let number = 1; number <= 18; number++)
    await writeNoise(store, { number, from: from + number * perSegment }).catch(() => undefined);
  await store.close();
}

/** A file system of 6 MiB; only an administrator can make one. */
function mountSmallDisk(path: string): boolean {
  mkdirSync(path);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', path]).status === 0;
}

function fillDisk(file: string): void {
  try {
    for (let bytes = 6; ; bytes++) writeFileSync(file, Buffer.alloc(bytes * 1024 * 1024));
  } catch {
    // It is full now.
  }
}
