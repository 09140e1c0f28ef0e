import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toRanges } from '../tokens/to-ranges.js';
import { findSegment, KeyRanges } from './key-ranges.js';
import { loadSqlite, type SqliteDatabase } from './sqlite-database.js';

const key = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.constantFrom(-(2 ** 47), 2 ** 40));

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

  it('tell the segment of each key, as one row for each would', () => {
    const segments = fc.array(fc.uniqueArray(key, { maxLength: 8 }), { maxLength: 12 });
    fc.assert(
      fc.property(segments, fc.array(fc.nat({ max: 11 })), (given, removed) => {
        const db = openEmpty();
        const ranges = new KeyRanges(db);
        const model = new Map<number, number>();
        for (const [segment, keys] of given.entries()) {
          const fresh = keys.filter((one) => !model.has(one));
          assert.equal(
            toRanges(keys).some((range) => ranges.meets(range)),
            fresh.length < keys.length,
          );
          ranges.add(fresh, segment);
          for (const one of fresh) model.set(one, segment);
        }
        for (const segment of removed) {
          const keys = [...model].filter(([, other]) => other === segment).map(([one]) => one);
          ranges.remove(keys);
          for (const one of keys) model.delete(one);
        }
        for (const one of given.flat()) assert.equal(findSegment(db, one), model.get(one));
        db.close();
      }),
      { numRuns: 50 },
    );
  });
});

function openEmpty(): SqliteDatabase {
  const { DatabaseSync } = loadSqlite();
  const db = new DatabaseSync(':memory:');
  db.exec(
    'CREATE TABLE key_range (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, segment INTEGER NOT NULL)',
  );
  return db;
}
