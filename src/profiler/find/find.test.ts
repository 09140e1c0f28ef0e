import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SegmentWriter } from '../form/segment-writer.js';
import { baseColumns, type GivenSummary } from '../form/summary-columns.js';
import { SummaryReader } from '../form/summary-reader.js';
import { SummaryWriter } from '../form/summary-writer.js';
import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import type { StoredRecord, StoredSummary, StorePage, StoreSearch } from '../model/profile-store.js';
import {
  durationClass,
  durationQuantile,
  type StoreTotals,
  type TotalsQuery,
} from '../model/profile-totals.js';
import { createMemoryStore } from '../store/create-memory-store.js';
import { completeRecord } from './complete-record.js';
import type { SegmentRows } from './find-rows.js';
import { LateNotes } from './late-notes.js';
import { readNewRows } from './news-rows.js';
import { prepareQuery, timeRange } from './prepare-query.js';
import { compareRanks, sortValue } from './ranks.js';
import { searchSegments } from './search-rows.js';
import { startTurns } from './search-turns.js';
import { addTotals, totalPages, totalRows } from './total-rows.js';

const row: fc.Arbitrary<GivenSummary> = fc.record({
  sequence: fc.constant(1),
  startedAt: fc.integer({ min: 1000, max: 1400 }),
  durationMs: fc.constantFrom(0, 0.5, 2, 40, 1000),
  appMs: fc.constant(0),
  databaseMs: fc.constant(0),
  httpMs: fc.constant(0),
  renderingMs: fc.constant(0),
  state: fc.constant('complete'),
  method: fc.constantFrom('GET', 'POST'),
  origin: fc.constant('http://a.test'),
  target: fc.constantFrom('/', '/blog?x=Y', '/BLOG'),
  status: fc.constantFrom(0, 200, 299, 300, 404, 500, 503),
  clientAddress: fc.constant('::1'),
  route: fc.constantFrom(null, 'home', 'blog_show', ''),
  user: fc.constantFrom(null, 'Ada', 'ada'),
  parent: fc.constant(null),
  trace: fc.constant(null),
  visitor: fc.constant(null),
  exception: fc.constantFrom(null, 'not found'),
  errorClass: fc.constantFrom(null, 'TypeError'),
  errorPlace: fc.constant(null),
  logs: fc.nat(3),
  warnings: fc.nat(2),
  errors: fc.nat(1),
});
const stored = fc.array(fc.array(row, { minLength: 1, maxLength: 4 }), { maxLength: 5 });

/** Segments, newest first, whose keys count up in the order in which they were written. */
function segmentsOf(lists: readonly (readonly GivenSummary[])[]): SegmentRows[] {
  let next = 1;
  const segments = lists.map((rows): SegmentRows => {
    const writer = new SummaryWriter(baseColumns);
    for (const one of rows) writer.add(one);
    const sealed = writer.seal('app');
    const keys = rows.map(() => next++);
    const begun = rows.map(({ startedAt }) => Number(startedAt));
    return {
      startedAt: Math.min(...begun),
      closedAt: Math.max(...begun),
      facts: sealed.facts,
      from: 0,
      to: rows.length,
      read: () => ({ keys, directory: sealed.directory }),
    };
  });
  return segments.toReversed();
}

type Keyed = GivenSummary & { readonly key: number };
const keyed = (lists: readonly (readonly GivenSummary[])[]): Keyed[] =>
  lists.flat().map((one, at) => ({ ...one, key: at + 1 }));

const numbersTest = fc
  .array(
    fc.tuple(fc.option(fc.constantFrom(0, 1, 200, 404, 1100)), fc.option(fc.constantFrom(1, 299, 500, 1300))),
    {
      minLength: 1,
      maxLength: 2,
    },
  )
  .map((ranges): ProfileTest => ({ kind: 'numbers', ranges }));
const textTest = fc.record({
  kind: fc.constantFrom('is', 'starts', 'contains'),
  texts: fc.array(fc.constantFrom('home', 'BLOG', 'o', '', 'ada', '/b'), { minLength: 1, maxLength: 2 }),
});
const condition: fc.Arbitrary<ProfileCondition> = fc.oneof(
  fc.record({
    columns: fc.subarray(['status', 'durationMs', 'logs', 'startedAt'], { minLength: 1, maxLength: 2 }),
    test: numbersTest,
    isNegated: fc.boolean(),
  }),
  fc.record({
    columns: fc.subarray(['route', 'user', 'path', 'exception', 'method'], { minLength: 1, maxLength: 2 }),
    test: fc.oneof(textTest, fc.constant({ kind: 'missing' } as const)),
    isNegated: fc.boolean(),
  }),
);
const where = fc.array(condition, { maxLength: 2 });

/** What a condition means, said once more and simply. */
function meets(one: Keyed, { columns, test, isNegated = false }: ProfileCondition): boolean {
  const passed = columns.some((name) => {
    const value = name === 'path' ? String(one.target).replace(/\?.*/, '') : (one[name] ?? null);
    if (test.kind === 'missing') return value === null;
    if (test.kind === 'numbers')
      return test.ranges.some(
        ([least, most]) => Number(value) >= (least ?? -Infinity) && Number(value) <= (most ?? Infinity),
      );
    if (value === null) return false;
    const text = String(value).toLowerCase();
    return test.texts
      .map((wanted) => wanted.toLowerCase())
      .some((wanted) =>
        test.kind === 'is'
          ? text === wanted
          : test.kind === 'starts'
            ? text.startsWith(wanted)
            : text.includes(wanted),
      );
  });
  return passed !== isNegated;
}

const keysOf = ({ rows }: StorePage): number[] => rows.map(({ key }) => key);

describe('a search', () => {
  it('finds what meets all conditions, newest first, whatever the facts say', async () => {
    await fc.assert(
      fc.asyncProperty(stored, where, async (lists, conditions) => {
        const page = await searchSegments(segmentsOf(lists), { query: { where: conditions }, limit: 100 });
        const expected = keyed(lists)
          .filter((one) => conditions.every((each) => meets(one, each)))
          .map(({ key }) => key);
        assert.deepEqual(keysOf(page), expected.toReversed());
        assert.deepEqual([page.next, page.complete], [null, true]);
      }),
      { numRuns: 60 },
    );
  });

  it('in an order gives each row once, page by page', async () => {
    const column = fc.constantFrom('durationMs', 'status', 'startedAt', 'logs', 'no such column');
    await fc.assert(
      fc.asyncProperty(stored, where, column, fc.boolean(), async (lists, conditions, by, isAscending) => {
        const found: number[] = [];
        let behind: StoreSearch['behind'];
        for (let isMore = true; isMore;) {
          const page: StorePage = await searchSegments(segmentsOf(lists), {
            query: { where: conditions, sort: { column: by, isAscending } },
            limit: 2,
            ...(behind === undefined ? {} : { behind }),
          });
          assert.equal(page.complete, true);
          found.push(...keysOf(page));
          const last = page.rows.at(-1);
          isMore = page.next !== null;
          assert.ok(!isMore || page.next === last?.key);
          if (last !== undefined) behind = { value: sortValue(last, by), key: last.key };
        }
        const expected = keyed(lists)
          .filter((one) => conditions.every((each) => meets(one, each)))
          .map((one) => ({ key: one.key, value: Number(one[by] ?? 0) }))
          .toSorted((a, b) => compareRanks({ column: by, isAscending }, a, b));
        assert.deepEqual(
          found,
          expected.map(({ key }) => key),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('of one key looks at no other', async () => {
    await fc.assert(
      fc.asyncProperty(stored, fc.integer({ min: 0, max: 12 }), async (lists, key) => {
        const page = await searchSegments(segmentsOf(lists), { query: {}, limit: 1, key });
        assert.deepEqual(keysOf(page), key >= 1 && key <= lists.flat().length ? [key] : []);
      }),
      { numRuns: 20 },
    );
  });
});

describe('an order', () => {
  it('by equal values is by key, the newest first, whichever way it goes', () => {
    for (const isAscending of [true, false])
      assert.ok(compareRanks({ column: 'x', isAscending }, { value: 1, key: 5 }, { value: 1, key: 4 }) < 0);
    assert.ok(
      compareRanks({ column: 'x', isAscending: true }, { value: 1, key: 1 }, { value: 2, key: 9 }) < 0,
    );
    assert.ok(
      compareRanks({ column: 'x', isAscending: false }, { value: 1, key: 9 }, { value: 2, key: 1 }) > 0,
    );
  });

  it('is by numbers of the summary or of collectors, and 0 without one', () => {
    const summary = {
      durationMs: 5,
      route: '7',
      collected: { 'db.queries': 3, route: 9 },
    } as never as StoredSummary; // what is asked for
    assert.deepEqual(
      ['durationMs', 'db.queries', 'route', 'none'].map((name) => sortValue(summary, name)),
      [5, 3, 9, 0],
    );
  });
});

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

describe('totals', () => {
  const steps = { from: 1000, stepMs: 100, count: 3 };
  const simple = (lists: readonly (readonly GivenSummary[])[], query: TotalsQuery): Map<string, Keyed[]> => {
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

  it('tell a text from a number and from nothing that look the same', async () => {
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

describe('news', () => {
  it('are the rows in the order in which they were written, and where to go on', () => {
    fc.assert(
      fc.property(stored, where, (lists, conditions) => {
        const segments = segmentsOf(lists)
          .toReversed()
          .map((segment, at) => ({ ...segment, position: `p${at}` }));
        const { rows, position } = readNewRows(segments, { query: { where: conditions }, position: null });
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

  it('end behind the segment that has the thousandth row', () => {
    const [one] = fc.sample(row, 1);
    assert.ok(one !== undefined);
    const many = Array.from({ length: 600 }, () => one);
    const segments = segmentsOf([many, many, many])
      .toReversed()
      .map((segment, at) => ({ ...segment, position: `p${at}` }));
    const { rows, position } = readNewRows(segments, { query: {}, position: null });
    assert.deepEqual([rows.length, position], [1200, 'p1']);
  });
});

describe('turns', () => {
  it('are over after their time, and give way', async () => {
    assert.equal(startTurns(-1).isOver(), true);
    const turns = startTurns(60_000);
    assert.equal(turns.isOver(), false);
    let others = 0;
    const end = performance.now() + 10_000; // it ends with the first turn of another
    setImmediate(() => others++);
    while (others === 0 && performance.now() < end) await turns.pass();
    assert.equal(others, 1);
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

describe('a record that is completed', () => {
  const base = {
    startedAt: 50,
    timeline: [{ name: 'a', category: 'app', startMs: 0, durationMs: 1 }],
    logs: [],
    logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
    limits: [],
    exception: null,
  };
  const stored = { ...base, sections: { mail: { n: 1 }, other: 5, __proto__: 1 } } as never as StoredRecord; // what is read of it

  it('has its token, its sections as their collectors make them, and their time', () => {
    const mail = {
      complete: (data: unknown, startedAt: number) => ({ data, startedAt }),
      timeline: () => [{ name: 'send', category: 'http', startMs: 1, durationMs: 2 } as const],
    };
    const record = completeRecord(stored, 'abc123', {
      parts: new Map([['mail', mail]]),
      late: new LateNotes(),
    });
    assert.equal(record.token, 'abc123');
    assert.deepEqual({ ...record.sections }, { mail: { data: { n: 1 }, startedAt: 50 }, other: 5 });
    assert.deepEqual(record.timeline, [
      ...base.timeline,
      { name: 'send', category: 'http', startMs: 1, durationMs: 2, section: 'mail' },
    ]);
    assert.equal(base.timeline.length, 1);
  });

  it('shows a section as it is where its collector cannot read it', () => {
    const broken = (): never => {
      throw new TypeError('not mine');
    };
    const parts = new Map([
      ['mail', { complete: broken }],
      ['other', { timeline: broken }],
    ]);
    const record = completeRecord(stored, 'abc123', { parts, late: new LateNotes() });
    assert.deepEqual({ ...record.sections }, { mail: { n: 1 }, other: 5 });
    assert.deepEqual(record.timeline, base.timeline);
  });
});

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
