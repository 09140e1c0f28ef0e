import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { meets, row, where } from '../../../test/profiler/generated-rows.js';
import type { ProfileCondition } from '../model/profile-query.js';
import { prepareQuery, timeRange } from './prepare-query.js';

describe('the range of time that a query names', () => {
  it('is what all its conditions on the beginning have in common', () => {
    const begun = (
      ranges: readonly (readonly [number | null, number | null])[],
      isNegated = false,
    ): ProfileCondition => ({
      columns: ['startedAt'],
      test: { kind: 'numbers', ranges },
      isNegated,
    });
    const all = { least: 0, most: Number.MAX_SAFE_INTEGER };
    assert.deepEqual(timeRange(), all);
    assert.deepEqual(timeRange([begun([[100, null]]), begun([[null, 300]])]), { least: 100, most: 300 });
    assert.deepEqual(
      timeRange([
        begun([
          [100, 200],
          [50, 80],
        ]),
      ]),
      { least: 50, most: 200 },
    );
    assert.deepEqual(
      timeRange([
        begun([
          [100, 200],
          [null, 80],
        ]),
      ]),
      { least: 0, most: 200 },
    );
    assert.deepEqual(timeRange([begun([[100, 200]], true)]), all);
    assert.deepEqual(
      timeRange([{ columns: ['startedAt', 'logs'], test: { kind: 'numbers', ranges: [[1, 2]] } }]),
      all,
    );
    assert.deepEqual(timeRange([{ columns: ['startedAt'], test: { kind: 'missing' } }]), all);
  });

  it('never leaves out a row that meets the query', () => {
    fc.assert(
      fc.property(where, row, (conditions, one) => {
        const { least, most } = timeRange(conditions);
        const isIn = Number(one.startedAt) >= least && Number(one.startedAt) <= most;
        assert.ok(isIn || !conditions.every((each) => meets({ ...one, key: 1 }, each)));
      }),
    );
  });
});

describe('conditions that are asked', () => {
  it('of errors fail for what was thrown late, others do not', () => {
    const thrownLate = new Set([4]);
    const missing = { kind: 'missing' } as const;
    const [ofErrors, ofRoutes] = prepareQuery({
      query: {
        where: [
          { columns: ['errorClass'], test: missing },
          { columns: ['route'], test: missing },
        ],
      },
      thrownLate,
    });
    assert.deepEqual([ofErrors?.fails, ofRoutes?.fails, ofErrors?.isNegated], [thrownLate, undefined, false]);
  });
});
