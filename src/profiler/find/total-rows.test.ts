import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  keyed,
  type Keyed,
  meets,
  row,
  segmentsOf,
  stored,
  where,
} from '../../../test/profiler/generated-rows.js';
import type { SummaryInput } from '../form/summary-columns.js';
import type { StorePage, StoreSearch } from '../model/profile-store.js';
import {
  durationClass,
  durationQuantile,
  type StoreTotals,
  type TotalsQuery,
} from '../model/profile-totals.js';
import { searchSegments } from './search-rows.js';
import { addTotals, totalPages, totalRows } from './total-rows.js';

describe('totals', () => {
  const steps = { from: 1000, stepMs: 100, count: 3 };
  const simple = (lists: readonly (readonly SummaryInput[])[], query: TotalsQuery): Map<string, Keyed[]> => {
    const groups = new Map<string, Keyed[]>();
    for (const one of keyed(lists)) {
      if (!(query.where ?? []).every((each) => meets(one, each))) continue;
      const name = JSON.stringify((query.groupBy ?? []).map((column) => one[column] ?? null));
      groups.set(name, [...(groups.get(name) ?? []), one]);
    }
    return groups;
  };
  const isFailed = ({ status, errorClass }: Keyed): boolean =>
    Number(status) >= 500 || (Number(status) < 300 && errorClass !== null);

  it('are those of the rows counted one by one', async () => {
    const groupBy = fc.subarray(['route', 'method', 'status', 'errorClass']);
    await fc.assert(
      fc.asyncProperty(stored, where, groupBy, async (lists, conditions, by) => {
        const query = { where: conditions, groupBy: by, steps };
        const { groups, complete } = await totalRows(segmentsOf(lists), { query });
        const expected = simple(lists, query);
        assert.equal(complete, true);
        assert.deepEqual(
          new Set(groups.map(({ values }) => JSON.stringify(values))),
          new Set(expected.keys()),
        );
        for (const [at, group] of groups.entries()) {
          const rows = expected.get(JSON.stringify(group.values)) ?? [];
          const begun = rows.map(({ startedAt }) => Number(startedAt));
          assert.deepEqual([group.count, group.failed], [rows.length, rows.filter(isFailed).length]);
          assert.deepEqual([group.firstAt, group.lastAt], [Math.min(...begun), Math.max(...begun)]);
          assert.equal(rows.find(({ key }) => key === group.lastKey)?.startedAt, group.lastAt);
          assert.equal(
            Object.values(group.durations).reduce((sum, count) => sum + count, 0),
            rows.length,
          );
          for (const { durationMs } of rows)
            assert.ok((group.durations[durationClass(Number(durationMs))] ?? 0) > 0);
          assert.deepEqual(
            group.steps,
            [0, 1, 2].map((step) => {
              const within = rows.filter(
                ({ startedAt }) => Math.floor((Number(startedAt) - 1000) / 100) === step,
              );
              return [within.length, within.filter(isFailed).length];
            }),
          );
          assert.ok(at === 0 || (groups[at - 1]?.count ?? 0) >= group.count);
        }
      }),
      { numRuns: 50 },
    );
  });

  const sorted = ({ groups, complete }: StoreTotals): unknown => ({
    complete,
    groups: groups
      .map((group) => ({ ...group, lastKey: 0 }))
      .toSorted((a, b) => (JSON.stringify(a.values) < JSON.stringify(b.values) ? -1 : 1)),
  });

  it('are the same page by page, and of two halves put together', async () => {
    await fc.assert(
      fc.asyncProperty(stored, stored, where, async (older, newer, conditions) => {
        const query = { where: conditions, groupBy: ['route'], steps };
        const [first, second, both] = await Promise.all(
          [older, newer, [...older, ...newer]].map((lists) => totalRows(segmentsOf(lists), { query })),
        );
        assert.ok(first !== undefined && second !== undefined && both !== undefined);
        assert.deepEqual(sorted(addTotals(second, first)), sorted(both));
        const segments = segmentsOf([...older, ...newer]);
        const search = async (asked: StoreSearch): Promise<StorePage> => {
          const page = await searchSegments(segments, { ...asked, limit: 1000 });
          const rows = page.rows.filter(({ key }) => key < (asked.before ?? Infinity)).slice(0, 3);
          const last = rows.at(-1)?.key ?? null;
          return { rows, complete: true, next: last === null || last <= 1 || rows.length < 3 ? null : last };
        };
        assert.deepEqual(sorted(await totalPages({ search }, { query })), sorted(both));
      }),
      { numRuns: 20 },
    );
  });

  it('of a thousand groups are cut, and say so', async () => {
    const [one] = fc.sample(row, 1);
    assert.ok(one !== undefined);
    const of = (count: number): Promise<StoreTotals> =>
      totalRows(segmentsOf([Array.from({ length: count }, (_, at) => ({ ...one, route: `r${at}` }))]), {
        query: { groupBy: ['route'] },
      });
    const [fits, cut] = [await of(1000), await of(1003)];
    assert.deepEqual([fits.groups.length, fits.complete], [1000, true]);
    assert.deepEqual([cut.groups.length, cut.complete], [1000, false]);
  });

  it('without time give what they have, and say that it is not all', async () => {
    const [one] = fc.sample(row, 1);
    assert.ok(one !== undefined);
    const { groups, complete } = await totalRows(segmentsOf([[one]]), { query: { withinMs: -1 } });
    assert.deepEqual([groups, complete], [[], false]);
  });

  it('distinguish a text from a number and from nothing that look the same', async () => {
    const [one] = fc.sample(row, 1);
    assert.ok(one !== undefined);
    const rows = [null, 'null', 'null', ''].map((route) => ({ ...one, route }));
    const { groups } = await totalRows(segmentsOf([rows]), { query: { groupBy: ['route'] } });
    assert.deepEqual(
      new Map(groups.map(({ values, count }) => [values[0], count])),
      new Map([
        ['null', 2],
        [null, 1],
        ['', 1],
      ]),
    );
  });

  it('know a quantile to five percent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 50 }),
        fc.constantFrom(0.5, 0.9, 0.95, 0.99, 1),
        (all, share) => {
          const durations: Record<number, number> = {};
          for (const ms of all) durations[durationClass(ms)] = (durations[durationClass(ms)] ?? 0) + 1;
          const exact = all.toSorted((a, b) => a - b)[Math.ceil(share * all.length - 1e-9) - 1] ?? 0;
          assert.ok(Math.abs(durationQuantile(durations, share) / exact - 1) < 0.05);
        },
      ),
    );
    assert.equal(durationQuantile({}, 0.5), 0);
    assert.deepEqual(
      [durationClass(0), durationClass(-1), durationClass(1e-300), durationClass(1)],
      [-200, -200, -200, 0],
    );
  });
});
