import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { PruneReason } from '../../model/record-lookup.js';
import { loadSqlite, type SqliteDatabase, SqliteStatements } from '../sqlite/sqlite-database.js';
import { toRanges } from '../tokens/to-ranges.js';
import { runSync, type SqlProgram } from './sql-program.js';
import { addKeys, freeKeys, rememberPruned, removeKeys, trimPruned } from './sql-ranges.js';

const tables = { end: '"end"' };
const key = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.constantFrom(-(2 ** 47), 2 ** 40));

function withTables(
  work: (db: SqliteDatabase, run: <Result>(program: SqlProgram<Result>) => Result) => void,
): void {
  const db = new (loadSqlite().DatabaseSync)(':memory:');
  db.exec(`
    CREATE TABLE key_range (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, segment INTEGER NOT NULL);
    CREATE TABLE pruned (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, reason TEXT NOT NULL)`);
  try {
    const { rows } = new SqliteStatements(db);
    work(db, (program) => runSync(program, rows));
  } finally {
    db.close();
  }
}

describe('ranges of keys', () => {
  it('hold the keys, and no other, in order', () => {
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const ranges = toRanges(keys);
        const held = ranges.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, at) => start + at),
        );
        assert.deepEqual(
          held,
          [...new Set(keys)].toSorted((one, other) => one - other),
        );
        for (const [at, { end }] of ranges.entries())
          assert.ok(end < (ranges[at + 1]?.start ?? Number.POSITIVE_INFINITY), 'neighbours are one range');
      }),
    );
  });

  it('give the segment of each key, as one row for each would, and fresh keys for those that are taken', () => {
    const segments = fc.array(fc.array(key, { maxLength: 8 }), { maxLength: 12 });
    fc.assert(
      fc.property(segments, fc.array(fc.nat({ max: 11 })), (given, removed) =>
        withTables((db, run) => {
          const model = new Map<number, number>();
          for (const [id, wanted] of given.entries()) {
            const { keys: sets, renamed } = run(freeKeys(tables, [wanted]));
            const keys = sets[0] ?? [];
            const isFresh = wanted.map((one, at) => !model.has(one) && wanted.indexOf(one) === at);
            assert.equal(renamed, isFresh.filter((fresh) => !fresh).length);
            for (const [at, one] of keys.entries()) assert.equal(one === wanted[at], isFresh[at]);
            run(addKeys([{ id, keys }]));
            for (const one of keys) model.set(one, id);
          }
          for (const id of removed) {
            const keys = [...model].filter(([, other]) => other === id).map(([one]) => one);
            run(removeKeys([id], keys));
            for (const one of keys) model.delete(one);
          }
          const find = db.prepare('SELECT segment FROM key_range WHERE start <= ? AND end > ?');
          for (const one of given.flat()) assert.equal(find.get(one, one)?.['segment'], model.get(one));
          const rows = db.prepare('SELECT count(*) AS count FROM key_range').get()?.['count'];
          assert.equal(Number(rows) > 0, model.size > 0);
        }),
      ),
      { numRuns: 50 },
    );
  });

  it('of pruned records remember why each went, as few ranges as there can be', () => {
    const reason = fc.constantFrom<PruneReason>('count', 'age', 'purge');
    const steps = fc.array(fc.tuple(fc.uniqueArray(key, { maxLength: 8 }), reason), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (given) =>
        withTables((db, run) => {
          const model = new Map<number, PruneReason>();
          for (const [keys, why] of given) {
            const fresh = keys.filter((one) => !model.has(one));
            run(rememberPruned(tables, fresh, why));
            for (const one of fresh) if (one >= 0) model.set(one, why);
          }
          const ranges = db.prepare('SELECT start, end, reason FROM pruned ORDER BY start').all();
          const held = ranges.flatMap(({ start, end, reason: why }) =>
            Array.from({ length: Number(end) - Number(start) }, (_, at) => [Number(start) + at, why]),
          );
          assert.deepEqual(
            held,
            [...model].toSorted(([one], [other]) => one - other),
          );
          for (const [at, { end, reason: why }] of ranges.entries()) {
            const next = ranges[at + 1];
            assert.ok(next?.['start'] !== end || next?.['reason'] !== why, 'neighbours are one range');
          }
        }),
      ),
      { numRuns: 100 },
    );
  });

  it('of pruned records are bounded: the oldest are forgotten', () => {
    withTables((db, run) => {
      const keys = Array.from({ length: 20_010 }, (_, at) => 2 * at);
      run(rememberPruned(tables, keys, 'count'));
      run(trimPruned());
      const [row] = db.prepare('SELECT count(*) AS count, min(start) AS first FROM pruned').all();
      assert.deepEqual([Number(row?.['count']), Number(row?.['first'])], [20_000, 20]);
    });
  });
});
