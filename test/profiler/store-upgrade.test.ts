import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createProfiler, createSqliteStore, type Profiler, repairSqliteFile } from '#profiler';
import { addUp, getRecord, watchRequest } from './watch-request.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-upgrade-'));
after(() => rmSync(folder, { recursive: true, force: true }));
/** Written by the version before sums: 60 requests `/old/0` to `/old/59`, of which the first 10 were pruned. */
const fixture = gunzipSync(readFileSync('test/fixtures/store-6.db.gz'));
const [pruned, oldest, marked, newest] = ['815d4e', '548e97', 'acfa19', '523342'] as const;

async function withCopy(
  damage: (bytes: Buffer) => void,
  work: (profiler: Profiler, path: string) => Promise<void>,
): Promise<void> {
  const path = join(folder, 'copy.db');
  const bytes = Buffer.from(fixture);
  damage(bytes);
  rmSync(path, { force: true });
  writeFileSync(path, bytes);
  const profiler = createProfiler({
    store: createSqliteStore(path, { retention: { ageMs: Number.MAX_SAFE_INTEGER } }),
    storeName: `sqlite:${path}`,
  });
  try {
    await work(profiler, path);
    addUp(profiler);
  } finally {
    await profiler.close();
  }
}

describe('a file of records that an earlier version wrote', () => {
  it('is read to the last record, and written on', async () => {
    await withCopy(
      () => undefined,
      async (profiler) => {
        const { rows } = await profiler.list({ limit: 100 });
        assert.deepEqual(
          rows.map(({ path }) => path),
          Array.from({ length: 50 }, (_, at) => `/old/${59 - at}`),
        );
        for (const { token, path } of rows) {
          const { request, response } = await getRecord(profiler, token);
          const at = Number(path.slice(5));
          assert.deepEqual(
            [request.target, request.method, response?.status, response?.body?.content],
            [`${path}?page=${at}`, at % 3 === 0 ? 'POST' : 'GET', at % 7 === 0 ? 500 : 200, `answer ${at}`],
          );
        }
        assert.deepEqual([rows[0]?.token, rows[49]?.token], [newest, oldest]);
        assert.deepEqual(await profiler.find(pruned), { kind: 'pruned', by: 'count' });
        assert.deepEqual(await profiler.marks?.of(marked), { tags: ['old'], note: 'kept' });
        const token = watchRequest(profiler, { source: { target: '/new' } });
        await profiler.flush();
        assert.equal((await getRecord(profiler, token)).request.path, '/new');
        const [first, second] = (await profiler.list({ limit: 2 })).rows;
        assert.deepEqual([first?.path, second?.path], ['/new', '/old/59']);
      },
    );
  });

  it('gives back what is whole where it is damaged', async () => {
    await withCopy(
      (bytes) => void bytes.fill(0, 0, 100),
      async (profiler, path) => {
        watchRequest(profiler);
        await profiler.flush();
        const { setAside } = profiler.state();
        assert.ok(setAside !== null);
        assert.equal(repairSqliteFile(path, setAside).records, 50);
        assert.equal((await getRecord(profiler, newest)).request.path, '/old/59');
        assert.notEqual((await profiler.find(pruned)).kind, 'found');
      },
    );
  });
});
