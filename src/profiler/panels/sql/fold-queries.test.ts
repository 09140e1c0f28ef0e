import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { query } from '../../../../test/profiler/plain-record.js';
import { foldQueries } from './fold-queries.js';

describe('queries that are folded', () => {
  it('are each in one fold, in the order of the first, by connection', () => {
    const sql = fc.constantFrom('select 1', 'select 2', 'select a from b', 'select c');
    const any = fc.record({
      sql,
      connection: fc.constantFrom('x', 'y'),
      error: fc.constantFrom(null, null, 'broken'),
      rows: fc.option(fc.nat(5)),
      durationMs: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (given) => {
        const queries = given.map((changes) => query(changes));
        const folds = foldQueries(queries);
        assert.deepEqual(
          folds.flatMap(({ indexes }) => indexes).toSorted((a, b) => a - b),
          queries.map((_, at) => at),
        );
        const firsts = folds.map(({ indexes }) => indexes[0] ?? -1);
        assert.deepEqual(
          firsts,
          firsts.toSorted((a, b) => a - b),
        );
        for (const { indexes, durationMs, rows, failed, isGroup } of folds) {
          const members = indexes.flatMap((place) => queries[place] ?? []);
          assert.equal(new Set(members.map(({ connection }) => connection)).size, 1);
          assert.equal(
            durationMs,
            members.reduce((sum, one) => sum + one.durationMs, 0),
          );
          const known = members.flatMap((one) => one.rows ?? []);
          assert.equal(rows, known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0));
          assert.equal(failed, members[0]?.error !== null);
          assert.ok(!failed || members.length === 1);
          assert.equal(isGroup, members.length > 2);
        }
      }),
    );
  });
});
