import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { baseColumns, type ColumnValue, type GivenSummary } from '../form/summary-columns.js';
import { SummaryWriter } from '../form/summary-writer.js';
import type { ProfileQuery } from '../model/profile-query.js';
import type { StorePage, StoreSearch } from '../model/profile-store.js';
import { mayMatch, prepareQuery } from './prepare-query.js';
import { searchRows, type SegmentRows } from './search-rows.js';

const plainRow: GivenSummary = {
  sequence: 1,
  startedAt: 1000,
  durationMs: 2,
  state: 'complete',
  method: 'GET',
  origin: 'http://localhost',
  target: '/',
  status: 200,
  clientAddress: '127.0.0.1',
  route: 'home',
  user: null,
  parent: null,
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
  query: ProfileQuery,
  more: Partial<StoreSearch> = {},
): Promise<StorePage> {
  return searchRows(segments, { query, limit: 50, ...more });
}

const keysOf = ({ rows }: StorePage): number[] => rows.map(({ key }) => key);

describe('searchRows', () => {
  const older = segmentOf(
    [
      { target: '/a?Name=Ada', status: 404, route: null, method: 'POST' },
      { target: '/b', clientAddress: '10.0.0.7', route: 'blog_show' },
    ],
    1,
  );
  const newer = segmentOf([{ target: '/c', status: 500, errorClass: 'TypeError', exception: 'x' }, {}], 3);
  const segments = [newer, older];

  it('gives the rows newest first, as many as asked for, and where to go on', async () => {
    assert.deepEqual(keysOf(await search(segments, {})), [4, 3, 2, 1]);
    const page = await search(segments, {}, { limit: 3 });
    assert.deepEqual([keysOf(page), page.next, page.complete], [[4, 3, 2], 2, true]);
    assert.equal((await search(segments, {}, { limit: 4 })).next, null);
  });

  it('each condition, and what turns it round', async () => {
    const cases: readonly (readonly [query: ProfileQuery, keys: readonly number[]])[] = [
      [{ method: 'post' }, [1]],
      [{ method: '!post' }, [4, 3, 2]],
      [{ status: '404' }, [1]],
      [{ status: '4xx' }, [1]],
      [{ status: '40x' }, [1]],
      [{ status: '!2xx' }, [3, 1]],
      [{ ip: '0.0.7' }, [2]],
      [{ ip: '!0.0.7' }, [4, 3, 1]],
      [{ route: 'home' }, [4, 3]],
      [{ route: 'blog*' }, [2]],
      [{ route: '!home' }, [2, 1]],
      [{ url: 'LOCALHOST/A?name' }, [1]],
      [{ url: '!/a' }, [4, 3, 2]],
      [{ exception: true }, [3]],
      [{ exception: false }, [4, 2, 1]],
      [{ method: 'get', status: '2xx', route: 'home' }, [4]],
      [{ method: '', status: '!' }, [4, 3, 2, 1]],
    ];
    for (const [query, keys] of cases)
      assert.deepEqual(keysOf(await search(segments, query)), keys, JSON.stringify(query));
  });

  it('one key, and those that failed behind their record', async () => {
    assert.deepEqual(keysOf(await search(segments, {}, { key: 2 })), [2]);
    const late = { thrownLate: new Set([1]) };
    assert.deepEqual(keysOf(await search(segments, { exception: true }, late)), [3, 1]);
    assert.deepEqual(keysOf(await search(segments, { exception: false }, late)), [4, 2]);
  });

  it('does not read a segment that cannot match, nor one out of time', async () => {
    const quiet = segmentOf([{ status: 200 }, { status: 204 }], 1);
    await search([quiet], { status: '5xx' });
    await search([quiet], { method: 'DELETE' });
    await search([quiet], { exception: true });
    await search([quiet], { start: 2001 });
    await search([quiet], { end: 999 });
    assert.equal(quiet.reads, 0);
    await search([quiet], { status: '2xx', start: 2000, end: 1000 });
    assert.equal(quiet.reads, 1);
  });

  it('only the rows between its bounds; a segment that is gone by now is passed over', async () => {
    const some = segmentOf([{}, {}, {}, {}], 1);
    assert.deepEqual(keysOf(await search([{ ...some, from: 1, to: 3 }], {})), [3, 2]);
    assert.deepEqual(keysOf(await search([{ ...some, read: () => undefined }, older], {})), [2, 1]);
  });

  it('what the facts of a segment exclude is not among its rows', async () => {
    const row = fc.record({
      status: fc.constantFrom(0, 200, 204, 301, 404, 500),
      method: fc.constantFrom('GET', 'POST'),
      route: fc.constantFrom(null, 'home', 'blog'),
      errorClass: fc.constantFrom(null, 'Error'),
    });
    const query = fc.record(
      {
        status: fc.constantFrom('200', '!200', '2xx', '!4xx', '0'),
        method: fc.constantFrom('get', '!GET'),
        route: fc.constantFrom('home', '!home', 'b*', '!b*'),
        exception: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), query, async (rows, asked) => {
        const segment = segmentOf(rows, 1);
        const conditions = prepareQuery({ query: asked });
        // Without facts every segment is read.
        const all = await search([{ ...segment, facts: {} }], asked);
        assert.deepEqual(keysOf(await search([segment], asked)), keysOf(all));
        if (!mayMatch(conditions, segment.facts)) assert.deepEqual(keysOf(all), []);
      }),
    );
  });
});
