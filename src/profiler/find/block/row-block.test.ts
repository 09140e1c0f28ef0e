import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { baseColumns, type ColumnValue, type SummaryInput } from '../../form/summary-columns.js';
import { SummaryWriter } from '../../form/summary-writer.js';
import type { ProfileCondition } from '../../model/profile-query.js';
import type { StorePage, StoreSearch } from '../../model/profile-store.js';
import type { SegmentData, SegmentRows } from '../find-rows.js';
import { prepareQuery } from '../prepare-query.js';
import { searchSegments } from '../search-rows.js';
import { totalRows } from '../total-rows.js';
import { blockPart, segmentPart } from './block-parts.js';
import { RowBlock } from './row-block.js';
import { type BlockPart, writeBlock } from './write-block.js';

const plain: SummaryInput = {
  sequence: 1,
  startedAt: 1000,
  durationMs: 2,
  appMs: 1.5,
  databaseMs: 0,
  httpMs: 0,
  renderingMs: 0,
  state: 'complete',
  method: 'GET',
  origin: 'http://localhost',
  target: '/',
  status: 200,
  clientAddress: '127.0.0.1',
  route: null,
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

type Row = Readonly<Record<'key' | 'startedAt' | 'durationMs' | 'status', number>> &
  Readonly<Record<'origin' | 'target', string>> &
  Readonly<Record<'route' | 'user' | 'errorClass' | 'exception', string | null>>;

const tail = fc.constantFrom('', '?q=Name', '?q=ΑΣ', '/İstanbul', '#end', '/ß', '/%C3%A4', '\uFFFD', '/😀');
const target = fc
  .tuple(fc.constantFrom('/shop', '/Blog', '/a', '*', 'http://other.example/x'), fc.nat(400), tail)
  .map(([start, id, end]) => (start === '*' ? start : `${start}/${id}${end}`));
const row = fc.record({
  startedAt: fc.nat(9_000_000).map((us) => (1_000_000 + us) / 1000),
  durationMs: fc.nat(40_000_000).map((ticks) => ticks / 10_000),
  status: fc.constantFrom(200, 204, 302, 404, 500),
  origin: fc.constantFrom('http://localhost', 'https://shop.example'),
  target,
  route: fc.constantFrom(null, 'home', 'blog_show', 'Blog'),
  user: fc.option(fc.nat(300).map((id) => `User-${id}@example`)),
  errorClass: fc.constantFrom(null, null, 'TypeError'),
  exception: fc.constantFrom(null, 'Cannot read', 'nothing'),
});
const tables = fc.array(fc.array(row, { minLength: 1, maxLength: 80 }), { minLength: 1, maxLength: 6 });

/** Texts to look for: pieces of what rows hold, and others. */
const text = fc.oneof(
  fc
    .tuple(target, fc.nat(12), fc.integer({ min: 1, max: 9 }))
    .map(([found, at, length]) => found.slice(at, at + length)),
  fc.constantFrom(
    'ser-1',
    'USER-17@example',
    'nowhere',
    'TypeError',
    'r/',
    'e/shop/1',
    'σ',
    'i\u0307',
    '',
    '\ud83d',
    'localhost/b',
    '/',
  ),
);
const columns = fc.subarray(['target', 'url', 'path', 'user', 'route', 'exception', 'errorClass', 'method'], {
  minLength: 1,
});
const condition: fc.Arbitrary<ProfileCondition> = fc.oneof(
  fc.record({
    columns,
    test: fc.record({
      kind: fc.constantFrom('is' as const, 'starts' as const, 'contains' as const),
      texts: fc.array(text, { minLength: 1, maxLength: 2 }),
    }),
    isNegated: fc.boolean(),
  }),
  fc.record({ columns, test: fc.constant({ kind: 'missing' as const }), isNegated: fc.boolean() }),
  fc.record({
    columns: fc.constantFrom(['status'], ['durationMs'], ['startedAt'], ['appMs'], ['no.such']),
    test: fc.record({
      kind: fc.constant('numbers' as const),
      ranges: fc.constantFrom(
        [[404, 500]],
        [[null, 1500.5]],
        [[2000, null]],
        [
          [0, 1],
          [300, 400],
        ],
      ),
    }),
    isNegated: fc.boolean(),
  }) as fc.Arbitrary<ProfileCondition>, // of constant tuples
);

/** Rows as they are, without any of what is under test: the answer to every query. */
function oracle(rows: readonly Row[], where: readonly ProfileCondition[], late: ReadonlySet<number>): Row[] {
  const pathOf = (given: string): string =>
    (given.startsWith('http') ? given.slice(given.indexOf('/', 8)) : given).replace(/[?#].*$/s, '');
  const valueOf = (found: Row, name: string): ColumnValue => {
    if (name === 'path') return pathOf(found.target);
    if (name === 'url') return found.target.startsWith('/') ? found.origin + found.target : found.target;
    const all: Readonly<Record<string, ColumnValue>> = { ...plain, ...found };
    return all[name] ?? null;
  };
  const meets = (found: Row, { columns: names, test, isNegated = false }: ProfileCondition): boolean => {
    const isLate = test.kind === 'missing' && names.includes('errorClass') && late.has(found.key);
    const passed = names.some((name) => {
      const value = valueOf(found, name);
      if (test.kind === 'missing') return value === null;
      if (test.kind === 'numbers')
        return test.ranges.some(
          ([least, most]) => Number(value ?? 0) >= (least ?? -1e99) && Number(value ?? 0) <= (most ?? 1e99),
        );
      const lower = value === null ? undefined : String(value).toLowerCase();
      return test.texts.some((one) => {
        const wanted = one.toLowerCase();
        if (lower === undefined) return false;
        return test.kind === 'is'
          ? lower === wanted
          : test.kind === 'starts'
            ? lower.startsWith(wanted)
            : lower.includes(wanted);
      });
    });
    return (passed && !isLate) !== isNegated;
  };
  return rows.filter((found) => where.every((one) => meets(found, one))).toReversed();
}

/** Rows as segments, and how a block of them is read. */
function segmentsOf(lists: readonly (readonly Omit<Row, 'key'>[])[]): {
  rows: Row[];
  parts: BlockPart[];
  data: Map<number, SegmentData>;
} {
  const rows: Row[] = [];
  const data = new Map<number, SegmentData>();
  const parts = lists.map((list, place) => {
    const writer = new SummaryWriter(baseColumns);
    // Keys do not rise with time where several processes write.
    const own = list.map((one, at) => ({ ...one, key: 1000 * ((place * 7) % 10) + ((at * 37) % 101) }));
    for (const { key: _, ...one } of own) writer.add({ ...plain, ...one });
    rows.push(...own);
    const { directory, facts } = writer.seal('app');
    const id = 10 + place * 3;
    data.set(id, { keys: own.map(({ key }) => key), directory });
    const times = { startedAt: Math.min(...own.map((one) => one.startedAt)), closedAt: 1e6 };
    return segmentPart({ id, facts, ...times }, data.get(id) ?? { keys: [], directory });
  });
  return { rows, parts, data };
}

function open(parts: readonly BlockPart[], data: Map<number, SegmentData>): RowBlock {
  const { head, chunks } = writeBlock(parts);
  return new RowBlock(JSON.parse(JSON.stringify(head)) as typeof head, {
    // as stores keep it
    chunk: (place) => chunks[place] ?? new Uint8Array(),
    segment: (id) => data.get(id),
    damaged: () => assert.fail('A chunk is damaged.'),
  });
}

function rowsOf(block: RowBlock, from = 0): SegmentRows {
  return {
    ...block.head,
    from,
    to: block.head.rows,
    read: () => block,
    excludes: (conditions) => block.excludes(conditions),
  };
}

const keysOf = ({ rows }: StorePage): number[] => rows.map(({ key }) => key);

describe('RowBlock', () => {
  it('has no column of a name that every object has', async () => {
    const { rows, parts, data } = segmentsOf([fc.sample(row, 3)]);
    const block = rowsOf(open(parts, data));
    for (const column of ['constructor', 'toString', '__proto__']) {
      const find = (query: StoreSearch['query']): Promise<StorePage> =>
        searchSegments([block], { query, limit: 10 });
      const sorted = await find({ sort: { column, isAscending: false } });
      assert.deepEqual(
        keysOf(sorted),
        rows.map(({ key }) => key).toSorted((a, b) => b - a),
        column,
      );
      assert.equal(
        (await find({ where: [{ columns: [column], test: { kind: 'missing' } }] })).rows.length,
        3,
      );
      const test = { kind: 'contains', texts: ['function'] } as const;
      assert.equal((await find({ where: [{ columns: [column], test }] })).rows.length, 0);
    }
  });

  it('finds, orders and counts exactly the rows that a plain filter does', async () => {
    const input = [
      tables,
      fc.array(condition, { maxLength: 3 }),
      fc.array(fc.nat(101), { maxLength: 3 }),
      fc.boolean(),
      fc.boolean(),
    ] as const;
    await fc.assert(
      fc.asyncProperty(...input, async (lists, where, late, isAscending, isMerged) => {
        const { rows, parts, data } = segmentsOf(lists);
        const thrownLate = new Set(late);
        const smaller = isMerged ? parts.map((part) => blockPart(open([part], data))) : parts;
        const block = rowsOf(open(smaller, data));
        const expected = oracle(rows, where, thrownLate);
        const search = (query: StoreSearch['query'], more: Partial<StoreSearch> = {}): Promise<StorePage> =>
          searchSegments([block], { query: { where, ...query }, limit: 1000, thrownLate, ...more });
        const found = await search({});
        assert.deepEqual(
          keysOf(found),
          expected.map(({ key }) => key),
        );
        for (const [at, one] of expected.entries()) {
          const { key, startedAt, durationMs, status, route, user, errorClass, exception } =
            found.rows[at] ?? {};
          const { origin: _, target: __, ...given } = one;
          assert.deepEqual({ key, startedAt, durationMs, status, route, user, errorClass, exception }, given);
        }
        const sort = { column: 'durationMs', isAscending };
        const ordered = expected.toSorted(
          (a, b) =>
            (isAscending ? a.durationMs - b.durationMs : b.durationMs - a.durationMs) || b.key - a.key,
        );
        const first = await search({ sort }, { limit: 7 });
        assert.deepEqual(
          keysOf(first),
          ordered.slice(0, 7).map(({ key }) => key),
        );
        const { groups, complete } = await totalRows([block], {
          query: { where, groupBy: ['route', 'status'] },
          thrownLate,
        });
        assert.ok(complete);
        const counts = new Map<string, number>();
        for (const one of expected)
          counts.set(`${one.route} ${one.status}`, (counts.get(`${one.route} ${one.status}`) ?? 0) + 1);
        assert.deepEqual(
          new Map(
            groups.map(({ values, count }) => [
              values.join(' ') === ` ${values[1]}` ? `null ${values[1]}` : values.join(' '),
              count,
            ]),
          ),
          counts,
        );
        for (const { values, failed, firstAt, lastAt, lastKey, durations } of groups) {
          const own = expected.filter((one) => one.route === values[0] && one.status === values[1]);
          const times = own.map((one) => one.startedAt);
          assert.deepEqual([firstAt, lastAt], [Math.min(...times), Math.max(...times)]);
          assert.ok(own.some((one) => one.key === lastKey && one.startedAt === lastAt));
          assert.equal(
            failed,
            own.filter((one) => one.status >= 500 || (one.status < 300 && one.errorClass !== null)).length,
          );
          assert.equal(
            Object.values(durations).reduce((sum, count) => sum + count, 0),
            own.length,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the rows behind those that were pruned, and none of a segment that is gone', async () => {
    const { rows, parts, data } = segmentsOf(
      [4, 3, 5].map((length) =>
        Array.from({ length }, (_, at) => ({ ...plain, startedAt: 1000 + at }) as unknown as Row),
      ),
    ); // plain has them all
    const block = open(parts, data);
    assert.deepEqual(
      [10, 12, 13, 16, 17].map((id) => block.startOf(id)),
      [0, 4, 4, 7, 12],
    );
    const keys = rows.map(({ key }) => key);
    assert.deepEqual(
      keysOf(await searchSegments([rowsOf(block, 6)], { query: {}, limit: 50 })),
      keys.slice(6).reverse(),
    );
    data.delete(13);
    assert.deepEqual(
      keysOf(await searchSegments([rowsOf(block)], { query: {}, limit: 50 })),
      [...keys.slice(0, 4), ...keys.slice(7)].reverse(),
    );
  });

  it('says without reading its texts that none has what is requested', () => {
    const { parts, data } = segmentsOf([
      Array.from({ length: 300 }, (_, at) => ({ ...plain, target: `/order/${at * 3001}` }) as unknown as Row),
    ]); // plain has the rest
    const block = open(parts, data);
    const isExcluded = (texts: string[], more: Partial<ProfileCondition> = {}): boolean =>
      block.excludes(
        prepareQuery({
          query: { where: [{ columns: ['url'], test: { kind: 'contains', texts }, ...more }] },
        }),
      );
    assert.ok(isExcluded(['nowhere']));
    assert.ok(isExcluded(['/order/999999']));
    assert.ok(!isExcluded(['/order/3001']));
    assert.ok(!isExcluded(['HOST/Order/']));
    assert.ok(!isExcluded(['nowhere', '/order']));
    assert.ok(!isExcluded(['nowhere'], { isNegated: true }));
    assert.ok(!isExcluded(['nowhere'], { columns: ['url', 'state'] }));
  });
});
