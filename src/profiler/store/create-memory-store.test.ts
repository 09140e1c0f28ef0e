import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { row, segmentsOf, stored, where } from '../../../test/profiler/generated-rows.js';
import { searchSegments } from '../find/search-rows.js';
import type { SegmentWriter } from '../form/segment-writer.js';
import { baseColumns } from '../form/summary-columns.js';
import { SummaryReader } from '../form/summary-reader.js';
import { SummaryWriter } from '../form/summary-writer.js';
import type { StorePage } from '../model/profile-store.js';
import { createMemoryStore } from './create-memory-store.js';

const keysOf = ({ rows }: StorePage): number[] => rows.map(({ key }) => key);

describe('a store in memory', () => {
  it('finds the same as a search of its segments', async () => {
    await fc.assert(
      fc.asyncProperty(stored, where, async (lists, conditions) => {
        const store = createMemoryStore();
        let key = 0;
        for (const [number, rows] of lists.entries()) {
          const writer = new SummaryWriter(baseColumns);
          for (const one of rows) writer.add(one);
          const begun = rows.map(({ startedAt }) => Number(startedAt));
          await store.write([
            {
              number,
              bucket: 'app',
              keys: rows.map(() => ++key),
              startedAt: Math.min(...begun),
              closedAt: Math.max(...begun),
              ...writer.seal('app'),
              body: new Uint8Array(),
            } satisfies ReturnType<SegmentWriter['seal']>,
          ]);
        }
        const query = { bucket: 'app', where: conditions } as const;
        const page = await store.search({ query, limit: 100 });
        const direct = await searchSegments(segmentsOf(lists), { query, limit: 100 });
        assert.deepEqual(keysOf(page), keysOf(direct));
        assert.equal(
          (await store.search({ query: { ...query, bucket: 'profiler' }, limit: 10 })).rows.length,
          0,
        );
        await store.close();
      }),
      { numRuns: 30 },
    );
  });

  it('reads the rows that a reader of summaries reads', () => {
    const [one] = fc.sample(row, 1);
    assert.ok(one !== undefined);
    const data = segmentsOf([[one]])[0]?.read();
    assert.ok(data !== undefined && 'directory' in data);
    assert.equal(new SummaryReader(data.directory).row(0, 1).status, one.status);
  });
});
