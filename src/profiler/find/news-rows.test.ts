import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keyed, meets, row, segmentsOf, stored, where } from '../../../test/profiler/generated-rows.js';
import { readNewRows } from './news-rows.js';

describe('news', () => {
  it('are the rows in the order in which they were written, and where to go on', async () => {
    fc.assert(
      fc.asyncProperty(stored, where, async (lists, conditions) => {
        const segments = segmentsOf(lists)
          .toReversed()
          .map((segment, at) => ({ ...segment, position: `p${at}` }));
        const { rows, position } = await readNewRows(segments, {
          query: { where: conditions },
          position: null,
        });
        assert.deepEqual(
          rows.map(({ key }) => key),
          keyed(lists)
            .filter((one) => conditions.every((each) => meets(one, each)))
            .map(({ key }) => key),
        );
        assert.equal(position, lists.length === 0 ? undefined : `p${lists.length - 1}`);
      }),
      { numRuns: 50 },
    );
  });

  it('end behind the segment that has the thousandth row', async () => {
    const [one] = fc.sample(row, 1);
    assert.ok(one !== undefined);
    const many = Array.from({ length: 600 }, () => one);
    const segments = segmentsOf([many, many, many])
      .toReversed()
      .map((segment, at) => ({ ...segment, position: `p${at}` }));
    const { rows, position } = await readNewRows(segments, { query: {}, position: null });
    assert.deepEqual([rows.length, position], [1200, 'p1']);
  });
});
