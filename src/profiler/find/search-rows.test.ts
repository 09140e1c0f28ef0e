import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keyed, meets, segmentsOf, stored, where } from '../../../test/profiler/generated-rows.js';
import { baseColumns, type ColumnValue, type SummaryInput } from '../form/summary-columns.js';
import { SummaryWriter } from '../form/summary-writer.js';
import type { ProfileCondition } from '../model/profile-query.js';
import type { StorePage, StoreSearch } from '../model/profile-store.js';
import { durationQuantile } from '../model/profile-totals.js';
import { parseQuery } from '../query/parse-query.js';
import type { SegmentRows } from './find-rows.js';
import { mayMatch, mustMatch, prepareQuery } from './prepare-query.js';
import { compareRanks, sortValue } from './ranks.js';
import { searchSegments } from './search-rows.js';
import { totalRows } from './total-rows.js';

const plainRow: SummaryInput = {
  sequence: 1,
  startedAt: 1000,
  durationMs: 2,
  appMs: 0,
  databaseMs: 0,
  httpMs: 0,
  renderingMs: 0,
  state: 'complete',
  method: 'GET',
  origin: 'http://localhost',
  target: '/',
  status: 200,
  clientAddress: '127.0.0.1',
  route: 'home',
  user: null,
  parent: null,
  trace: null,
  visitor: null,
  exception: null,
  errorClass: null,
  errorPlace: null,
  logs: 0,
  warnings: 0,
  errors: 0,
};

/** A segment of these rows, whose keys count from `first`; `reads` counts how often it was read. */
function segmentOf(
  rows: readonly Readonly<Record<string, ColumnValue>>[],
  first: number,
): SegmentRows & { reads: number } {
  const writer = new SummaryWriter(baseColumns);
  for (const row of rows) writer.add({ ...plainRow, ...row });
  const { directory, facts } = writer.seal('app');
  return {
    startedAt: 1000,
    closedAt: 2000,
    facts,
    from: 0,
    to: rows.length,
    reads: 0,
    read() {
      this.reads++;
      return { keys: rows.map((_, index) => first + index), directory };
    },
  };
}

function search(
  segments: readonly SegmentRows[],
  query: string,
  more: Partial<StoreSearch> = {},
): Promise<StorePage> {
  return searchSegments(segments, { query: { where: whereOf(query) }, limit: 50, ...more });
}

function whereOf(query: string): readonly ProfileCondition[] {
  const { where, problems } = parseQuery(query);
  assert.deepEqual(problems, []);
  return where;
}

const keysOf = ({ rows }: StorePage): number[] => rows.map(({ key }) => key);

describe('searchRows', () => {
  const older = segmentOf(
    [
      { target: '/a?Name=Ada', status: 404, route: null, method: 'POST' },
      { target: '/b', clientAddress: '10.0.0.7', route: 'blog_show', durationMs: 300 },
    ],
    1,
  );
  const newer = segmentOf([{ target: '/c', status: 500, errorClass: 'TypeError', exception: 'x' }, {}], 3);
  const segments = [newer, older];

  it('gives the rows newest first, as many as requested, and where to go on', async () => {
    assert.deepEqual(keysOf(await search(segments, '')), [4, 3, 2, 1]);
    const page = await search(segments, '', { limit: 3 });
    assert.deepEqual([keysOf(page), page.next, page.complete], [[4, 3, 2], 2, true]);
    assert.equal((await search(segments, '', { limit: 4 })).next, null);
  });

  it('each condition, and what turns it round', async () => {
    const cases: readonly (readonly [query: string, keys: readonly number[]])[] = [
      ['method:post', [1]],
      ['-method:post', [4, 3, 2]],
      ['method:post,get', [4, 3, 2, 1]],
      ['status:404', [1]],
      ['status:4xx', [1]],
      ['status:40x', [1]],
      ['status:!2xx', [3, 1]],
      ['status:>=404 status:<500', [1]],
      ['ip:0.0.7', [2]],
      ['-ip:0.0.7', [4, 3, 1]],
      ['route:home', [4, 3]],
      ['route:blog*', [2]],
      ['-route:home', [2, 1]],
      ['route:*', [4, 3, 2]],
      ['url:LOCALHOST/A?name', [1]],
      ['/a', [1]],
      ['-/a', [4, 3, 2]],
      ['path:=/ ', [4]],
      ['duration:>2ms', [2]],
      ['duration:2ms..3ms', [4, 3, 1]],
      ['has:error', [3]],
      ['-has:error', [4, 2, 1]],
      ['typeerror', [3]],
      ['error:x', [3]],
      ['method:get status:2xx route:home', [4]],
      ['db.queries:0', [4, 3, 2, 1]],
      ['db.queries:>0', []],
    ];
    for (const [query, keys] of cases) assert.deepEqual(keysOf(await search(segments, query)), keys, query);
  });

  it('gives what is stored, not what its facts were before it was rounded', async () => {
    const { rows } = await search([segmentOf([{ durationMs: 0.11580000000000013 }], 1)], '');
    assert.equal(rows[0]?.durationMs, 0.1158);
  });

  it('one key, and those that failed behind their record', async () => {
    assert.deepEqual(keysOf(await search(segments, '', { key: 2 })), [2]);
    const late = { thrownLate: new Set([1]) };
    assert.deepEqual(keysOf(await search(segments, 'has:error', late)), [3, 1]);
    assert.deepEqual(keysOf(await search(segments, '-has:error', late)), [4, 2]);
  });

  it('does not read a segment that cannot match, nor one out of time', async () => {
    const quiet = segmentOf([{ status: 200 }, { status: 204 }], 1);
    for (const query of ['status:5xx', 'method:DELETE', 'has:error', 'after:100000002001', 'duration:>2ms'])
      await search([quiet], query);
    await search([{ ...quiet, startedAt: 100_000_001_000 }], 'before:100000000999');
    assert.equal(quiet.reads, 0);
    await search([quiet], 'status:2xx before:100000002000');
    assert.equal(quiet.reads, 1);
  });

  it('only the rows between its bounds; a segment that is gone by now is passed over', async () => {
    const some = segmentOf([{}, {}, {}, {}], 1);
    assert.deepEqual(keysOf(await search([{ ...some, from: 1, to: 3 }], '')), [3, 2]);
    assert.deepEqual(keysOf(await search([{ ...some, read: () => undefined }, older], '')), [2, 1]);
  });

  it('what the facts of a segment exclude is not among its rows', async () => {
    const row = fc.record({
      status: fc.constantFrom(0, 200, 204, 301, 404, 500),
      method: fc.constantFrom('GET', 'POST'),
      route: fc.constantFrom(null, 'home', 'blog'),
      errorClass: fc.constantFrom(null, 'Error'),
    });
    const query = fc
      .array(
        fc.constantFrom(
          'status:200',
          'status:!200',
          '-status:2xx,4xx',
          'status:>300',
          'status:0',
          'method:get',
          '-method:GET',
          'route:home',
          '-route:home',
          'route:b*',
          '-route:b*',
          'route:*',
          'has:error',
          '-has:error',
          'home',
          '-blog',
          'duration:>1ms',
          '-duration:<=2ms',
        ),
      )
      .map((parts) => parts.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), query, async (rows, asked) => {
        const segment = segmentOf(rows, 1);
        const conditions = prepareQuery({ query: { where: whereOf(asked) } });
        // Without facts every segment is read.
        const all = keysOf(await search([{ ...segment, facts: {} }], asked));
        assert.deepEqual(keysOf(await search([segment], asked)), all);
        if (!mayMatch(conditions, segment.facts)) assert.deepEqual(all, []);
        if (mustMatch(conditions, segment.facts)) assert.equal(all.length, rows.length);
      }),
    );
  });

  it('orders by a column, and reads only what can be among the first', async () => {
    const ms = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(ms, { maxLength: 5 }), fc.boolean(), async (lists, isAscending) => {
        const stored = lists.map((list, at) =>
          segmentOf(
            list.map((durationMs) => ({ durationMs })),
            at * 10,
          ),
        );
        const expected = lists
          .flatMap((list, at) => list.map((value, index) => ({ value, key: at * 10 + index })))
          .sort((a, b) => (isAscending ? a.value - b.value : b.value - a.value) || b.key - a.key);
        const query = { sort: { column: 'durationMs', isAscending } };
        const found: number[] = [];
        let behind: StoreSearch['behind'];
        for (let next: number | null = 0; next !== null;) {
          const page: StorePage = await searchSegments(stored, {
            query,
            limit: 3,
            ...(behind === undefined ? {} : { behind }),
          });
          found.push(...keysOf(page));
          ({ next } = page);
          const last = page.rows.at(-1);
          if (last !== undefined) behind = { value: last.durationMs, key: last.key };
        }
        assert.deepEqual(
          found,
          expected.map(({ key }) => key),
        );
      }),
    );
    const [slow, fast] = [
      segmentOf([{ durationMs: 9 }, { durationMs: 8 }], 1),
      segmentOf([{ durationMs: 7 }], 3),
    ];
    const query = { sort: { column: 'durationMs', isAscending: false } };
    assert.deepEqual(keysOf(await searchSegments([fast, slow], { query, limit: 1 })), [1]);
    assert.equal(fast.reads, 0);
  });

  it('counts by columns and steps of time; whole segments without reading them where that will do', async () => {
    const groupBy = ['route'];
    const steps = { from: 0, stepMs: 1000, count: 3 };
    const { groups, complete } = await totalRows(segments, { query: { groupBy, steps } });
    assert.equal(complete, true);
    assert.deepEqual(
      groups.map(({ values, count, failed, lastKey }) => [values[0], count, failed, lastKey]),
      [
        ['home', 2, 1, 4],
        ['blog_show', 1, 0, 2],
        [null, 1, 0, 1],
      ],
    );
    assert.deepEqual(groups[0]?.steps, [
      [0, 0],
      [2, 1],
      [0, 0],
    ]);
    const p50 = durationQuantile(groups[1]?.durations ?? {}, 0.5);
    assert.ok(Math.abs(p50 - 300) < 15, String(p50));
    const quiet = segmentOf([{}, {}], 1);
    for (const [query, count, reads] of [
      ['status:2xx', 2, 0],
      ['status:5xx', undefined, 0],
      ['/', 2, 1],
    ] as const) {
      const counted = await totalRows([quiet], { query: { where: whereOf(query), isCountOnly: true } });
      assert.deepEqual([counted.groups[0]?.count, quiet.reads], [count, reads]);
    }
  });
});

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
