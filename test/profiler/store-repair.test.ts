import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  checkSqliteFile,
  createProfiler,
  createSqliteStore,
  type Profiler,
  repairSqliteFile,
} from '#profiler';
import { getRecord, watchRequest } from './watch-request.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-repair-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const pageSize = 8192;
let files = 0;

/** A file of 25 segments, of which the first 5 were pruned, with what each of its tokens is the record of. */
interface Sample {
  readonly path: string;
  readonly expected: ReadonlyMap<string, string>;
  readonly pruned: readonly string[];
}

function open(path: string): Profiler {
  return createProfiler({
    store: createSqliteStore(path, { retention: { records: 200 } }),
    storeName: `sqlite:${path}`,
    batch: { records: 10, delayMs: 5 },
  });
}

async function withFile<Result>(
  path: string,
  work: (profiler: Profiler) => Promise<Result>,
): Promise<Result> {
  const profiler = open(path);
  try {
    return await work(profiler);
  } finally {
    await profiler.close();
  }
}

/** What is compared of a record: its path, and a body that is different in each. */
async function contentOf(profiler: Profiler, token: string): Promise<string> {
  const { request, response } = await getRecord(profiler, token);
  return `${request.path} ${response?.body?.content}`;
}

async function makeSample(): Promise<Sample> {
  const path = join(folder, `sample-${files++}.db`);
  return withFile(path, async (profiler) => {
    const expected = new Map<string, string>();
    const tokens: string[] = [];
    for (let at = 0; at < 250; at++) {
      const body = randomBytes(1400).toString('hex');
      const token = watchRequest(profiler, { source: { target: `/made/${at}` }, body });
      tokens.push(token);
      if (at % 10 === 9) await profiler.flush();
      expected.set(token, `/made/${at} ${body}`);
    }
    await profiler.marks?.set(tokens[249] ?? '', { tags: ['kept'], note: '' });
    const pruned = tokens.splice(0, 50);
    for (const token of pruned) expected.delete(token);
    return { path, expected, pruned };
  });
}

/** A copy of the file with some of its bytes written over. */
function copyDamaged({ path }: Sample, damage: (bytes: Buffer) => Buffer): string {
  const copy = join(folder, `copy-${files++}.db`);
  writeFileSync(copy, damage(readFileSync(path)));
  return copy;
}

/** Fails where a record is another than it was, or was pruned before; gives how many are there. */
async function countSound({ expected, pruned }: Sample, path: string): Promise<number> {
  return withFile(path, async (profiler) => {
    for (const token of pruned) assert.notEqual((await profiler.find(token)).kind, 'found');
    const { rows } = await profiler.list({ limit: 1000 });
    const own = rows.filter(({ token }) => expected.has(token));
    for (const { token } of own)
      assert.ok((await contentOf(profiler, token)) === expected.get(token), `${token} is another record`);
    assert.deepEqual(
      own.map(({ path: place }) => Number(place.slice(6))),
      own.map(({ path: place }) => Number(place.slice(6))).toSorted((a, b) => b - a),
      'newest first',
    );
    return own.length;
  });
}

describe('a damaged file of records', () => {
  let sample: Sample;
  before(async () => {
    sample = await makeSample();
    assert.equal(checkSqliteFile(sample.path), undefined);
  });

  it('gives every record back that does not stand on a page that was written over', async () => {
    const whole = readFileSync(sample.path);
    const pages = Array.from({ length: whole.length / pageSize }, (_, page) => page);
    // Pages of SQLite's format: the rest of a row, and the leaf of a table on which rows begin.
    for (const type of [0, 13]) {
      // A page may be free, or without records.
      let found = 200;
      for (const page of pages.filter((place) => whole[place * pageSize] === type).slice(-12)) {
        const path = copyDamaged(sample, (bytes) => bytes.fill(0xa5, page * pageSize, (page + 1) * pageSize));
        const { records, expected, keepsTokens, damaged } = repairSqliteFile(path);
        assert.ok(existsSync(damaged));
        assert.deepEqual([expected, keepsTokens, checkSqliteFile(path)], [200, true, undefined]);
        assert.ok(records >= 190, `${records} records`);
        found = records;
        if (found < 200) assert.equal(await countSound(sample, path), found);
        if (found < 200) break;
      }
      assert.ok(found < 200);
    }
  });

  it('gives records back where its header, its trees or half of it are gone', async () => {
    const pages = readFileSync(sample.path).length / pageSize;
    const header = copyDamaged(sample, (bytes) => bytes.fill(0, 0, pageSize));
    assert.ok(checkSqliteFile(header) !== undefined);
    assert.equal(repairSqliteFile(header).records, 200);
    assert.equal(await countSound(sample, header), 200);
    // Pages that lead to others hold no record.
    const trees = copyDamaged(sample, (bytes) => {
      for (let page = 1; page < pages; page++)
        if (bytes[page * pageSize] === 5) bytes.fill(0, page * pageSize, (page + 1) * pageSize);
      return bytes;
    });
    assert.equal(repairSqliteFile(trees).records, 200);
    assert.equal(await countSound(sample, trees), 200);
    const half = copyDamaged(sample, (bytes) => bytes.subarray(0, Math.floor(pages * 0.6) * pageSize + 100));
    const { records } = repairSqliteFile(half);
    assert.ok(records >= 50, `${records} records`);
    assert.equal(await countSound(sample, half), records);
  });

  it('gives back what stands in its log, and without the log what stands in the file', async () => {
    const path = join(folder, 'open.db');
    const [both, alone] = [join(folder, 'both.db'), join(folder, 'alone.db')];
    const expected = new Map<string, string>();
    await withFile(path, async (profiler) => {
      for (let at = 0; at < 60; at++) {
        const body = randomBytes(400).toString('hex');
        expected.set(
          watchRequest(profiler, { source: { target: `/made/${at}` }, body }),
          `/made/${at} ${body}`,
        );
        if (at % 10 === 9) await profiler.flush();
      }
      copyFileSync(path, both);
      copyFileSync(`${path}-wal`, `${both}-wal`);
      copyFileSync(path, alone);
    });
    // The tables are in the log, or with some versions of SQLite only what changed since they were made.
    truncateSync(both, 3 * pageSize);
    assert.equal(repairSqliteFile(both).records, 60);
    assert.equal(await countSound({ path, expected, pruned: [] }, both), 60);
    const { records } = repairSqliteFile(alone);
    assert.equal(await countSound({ path, expected, pruned: [] }, alone), records);
  });

  it('is checked and repaired with each segment opened a few times, however many records it has', async () => {
    const path = copyDamaged(sample, (bytes) => bytes);
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    assert.equal(checkSqliteFile(path), undefined);
    assert.equal(repairSqliteFile(path).records, 200);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    session.disconnect();
    const opened = result
      .flatMap(({ functions }) => functions)
      .filter(({ functionName }) => functionName === 'openSegment')
      .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
    assert.equal(opened, 2 * 20); // once for each of the segments and each of the two
  });

  it('keeps its tokens and its notes, and takes its place among the records made since', async () => {
    const path = copyDamaged(sample, (bytes) => bytes.fill(0x5a, 0, 64));
    const fresh = await withFile(path, async (profiler) => {
      const token = watchRequest(profiler, { source: { target: '/since' } });
      await profiler.flush();
      const lost = await profiler.find([...sample.expected.keys()][0] ?? '');
      assert.deepEqual(lost, { kind: 'missing', isSetAside: true });
      const { setAside } = profiler.state();
      assert.ok(setAside !== null);
      for (const records of [200, 0]) assert.equal(repairSqliteFile(path, setAside).records, records);
      await getRecord(profiler, token);
      const { rows } = await profiler.list({ limit: 1000 });
      assert.deepEqual([rows.length, rows[0]?.token, rows[1]?.path], [201, token, '/made/249']);
      const [marked] = (await profiler.list({ limit: 2 })).rows.slice(1);
      assert.deepEqual(marked?.mark?.tags, ['kept']);
      return token;
    });
    assert.equal(await countSound(sample, path), 199); // one more was made, and the retention is 200
    assert.match(fresh, /^[0-9a-f]{6}$/);
  });

  it('never gives back what it did not have, wherever it is damaged', async () => {
    const { length } = readFileSync(sample.path);
    const holes = fc.array(
      fc.record({
        from: fc.integer({ min: 0, max: length }),
        length: fc.integer({ min: 1, max: 40_000 }),
        fill: fc.option(fc.integer({ min: 0, max: 255 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(holes, fc.integer({ min: 0, max: length }), async (places, cut) => {
        const path = copyDamaged(sample, (bytes) => {
          for (const { from, length: many, fill } of places) {
            const to = Math.min(length, from + many);
            if (fill === undefined) randomBytes(to - from).copy(bytes, from);
            else bytes.fill(fill, from, to);
          }
          return cut % 3 === 0 ? bytes.subarray(0, cut) : bytes;
        });
        const { records } = repairSqliteFile(path);
        assert.equal(checkSqliteFile(path), undefined);
        const sound = await countSound(sample, path);
        assert.ok(sound <= records);
        rmSync(path, { force: true });
      }),
      { numRuns: 6 },
    );
  });
});
