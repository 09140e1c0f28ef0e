import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord, RecordedLog } from '../../model/profile-record.js';
import type { ProfileQuery, ProfileTotals, TotalsQuery } from '../../model/profile-query.js';
import { summaryOf } from '../../model/profile-summary.js';
import { recordReports, type ReportSource, reportErrors, reportRoutes } from './record-reports.js';

type Group = ProfileTotals['groups'][number];

function group(changes: Partial<Group>): Group {
  const durations = [
    [10, 90],
    [20, 9],
    [300, 1],
  ] as const;
  return {
    values: [null],
    count: 1,
    failed: 0,
    firstAt: 1,
    lastAt: 2,
    durations,
    steps: [],
    lastToken: 'abcdef',
    ...changes,
  };
}

/** A source with groups and records, and the queries it received. */
function sourceOf(
  groups: readonly Group[],
  pages: readonly (readonly ProfileRecord[])[] = [],
): ReportSource & { readonly asked: TotalsQuery[]; readonly listed: ProfileQuery[] } {
  const [asked, listed]: [TotalsQuery[], ProfileQuery[]] = [[], []];
  return {
    asked,
    listed,
    async totals(query = {}) {
      asked.push(query);
      return { groups, complete: true };
    },
    async list(query = {}) {
      listed.push(query);
      const { token, before = '0' } = query;
      const all = pages.flat().filter((one) => one.token === token);
      const rows = (token === undefined ? (pages[Number(before)] ?? []) : all).map((one) =>
        summaryOf(one, {}),
      );
      const hasNext = token === undefined && Number(before) + 1 < pages.length;
      return { rows, next: hasNext ? String(Number(before) + 1) : null, complete: true };
    },
    async find(token) {
      const record = pages.flat().find((one) => one.token === token);
      return record === undefined ? { kind: 'never' } : { kind: 'found', record };
    },
  };
}

const input = { where: [], limit: 50, values: {} };

describe('the routes report', () => {
  it('has the slowest 95th percentile first, with quantiles, and steps only on request', async () => {
    const quick = group({ values: ['quick'], durations: [[5, 3]], count: 3, failed: 1, lastToken: 'aaaaaa' });
    const { rows, complete } = await reportRoutes(sourceOf([quick, group({})]));
    assert.equal(complete, true);
    assert.deepEqual(rows, [
      { route: null, p50: 10, p95: 20, slowest: 300, count: 1, failed: 0, lastToken: 'abcdef' },
      { route: 'quick', p50: 5, p95: 5, slowest: 5, count: 3, failed: 1, lastToken: 'aaaaaa' },
    ]);
    const steps = { from: 0, stepMs: 1, count: 1 };
    const source = sourceOf([group({ steps: [[1, 0]] })]);
    const where = [{ columns: ['status'], test: { kind: 'missing' } }] as const;
    assert.deepEqual((await reportRoutes(source, where, { steps })).rows[0]?.steps, [[1, 0]]);
    assert.deepEqual(source.asked, [{ steps, where, groupBy: ['route'] }]);
    const [row] = rows;
    assert.ok(row !== undefined);
    assert.deepEqual(recordReports.slow.cells(row, { time: String, values: {} }), {
      Route: '(none)',
      p50: '10.0 ms',
      p95: '20.0 ms',
      Slowest: '300 ms',
      Count: '1',
      Failed: '0',
      Token: 'abcdef',
    });
  });
});

describe('the errors report', () => {
  it('has failures first, then the most frequent, and the newest message of the first 50', async () => {
    const record = { ...plain, token: 'abc001' };
    const groups = [
      group({ values: ['Refused', null], count: 9, lastToken: '' }),
      group({ values: ['Rare', 'a.ts:1'], count: 1, failed: 1, lastToken: 'abc001' }),
      group({ values: ['Often', 'b.ts:2'], count: 5, failed: 5, lastToken: 'gone00' }),
      ...Array.from({ length: 50 }, () => group({ values: ['More'], lastToken: 'abc001' })),
    ];
    const source = sourceOf(groups, [[record]]);
    const { rows } = await reportErrors(source, [{ columns: ['status'], test: { kind: 'missing' } }]);
    assert.deepEqual(
      rows.slice(0, 3).map(({ error, location, request, count }) => [error, location, request, count]),
      [
        ['Often', 'b.ts:2', null, 5],
        ['Rare', 'a.ts:1', 'GET /', 1],
        ['Refused', null, null, 9],
      ],
    );
    assert.equal(source.listed.length, 49); // not for the group without a token
    assert.deepEqual(
      rows.slice(-3).map(({ request }) => request),
      [null, null, null],
    );
    assert.equal(rows.at(-4)?.request, 'GET /');
    assert.deepEqual(source.asked[0]?.groupBy, ['errorClass', 'errorLocation', 'fingerprint']);
    assert.deepEqual(source.asked[0]?.where, [
      { columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true },
      { columns: ['status'], test: { kind: 'missing' } },
    ]);
  });

  it('shows messages of up to 200 characters', () => {
    const row = {
      ...group({}),
      error: null,
      location: null,
      fingerprint: '',
      request: null,
      message: null,
    };
    const cellOf = (message: string | null): string | undefined =>
      recordReports.errors.cells({ ...row, message }, { time: String, values: {} })['Message'];
    assert.equal(cellOf('m'.repeat(200)), 'm'.repeat(200));
    assert.equal(cellOf('m'.repeat(201)), `${'m'.repeat(199)}…`);
    assert.deepEqual(recordReports.errors.cells(row, { time: (at) => `at ${at}`, values: {} }), {
      Count: '1',
      Message: '',
      Error: '',
      Location: '',
      First: 'at 1',
      Last: 'at 2',
      Token: 'abcdef',
    });
  });
});

describe('the counts report', () => {
  it('counts by column or in total, and rejects other columns', async () => {
    const source = sourceOf([group({ values: [404], count: 3, failed: 1 }), group({ values: [], count: 2 })]);
    const read = recordReports.count.read(source, { ...input, values: { by: 'class' } });
    assert.ok(typeof read !== 'string');
    assert.deepEqual(await read, {
      rows: [
        { value: 404, count: 3, failed: 1 },
        { value: null, count: 2, failed: 0 },
      ],
      total: 5,
      complete: true,
    });
    await recordReports.count.read(source, input);
    assert.deepEqual(
      source.asked.map(({ groupBy }) => groupBy),
      [['errorClass'], []],
    );
    for (const by of ['url', 'toString', 'errorClass'])
      assert.equal(
        recordReports.count.read(source, { ...input, values: { by } }),
        `"by" must be one of route, status, method, user, class, location, state, instance, version, not "${by}".`,
      );
    const cells = (value: string | null, values: { by?: string }): object =>
      recordReports.count.cells({ value, count: 3, failed: 1 }, { time: String, values });
    assert.deepEqual(cells('home', { by: 'route' }), { Count: '3', Failed: '1', route: 'home' });
    assert.deepEqual(cells(null, {}), { Count: '3', Failed: '1', all: '(none)' });
  });
});

describe('the log lines report', () => {
  const line = (level: RecordedLog['level'], message: string): RecordedLog => ({
    time: 5,
    offsetMs: 0,
    level,
    channel: 'app',
    message,
    context: dump({}),
  });
  const recordOf = (index: number, logs: readonly RecordedLog[]): ProfileRecord => ({
    ...plain,
    token: `abc${String(index).padStart(3, '0')}`,
    logs,
  });
  const read = async (
    source: ReportSource,
    values: Readonly<Record<string, string>>,
    limit = 50,
  ): Promise<{ readonly rows: readonly object[]; readonly complete: boolean }> => {
    const found = recordReports.logs.read(source, { where: [], limit, values });
    assert.ok(typeof found !== 'string');
    return found;
  };

  it('finds lines by a part of the channel or the message in any case, and by minimum level, page by page', async () => {
    const source = sourceOf(
      [],
      [
        [recordOf(1, [line('info', 'A Ladder'), line('error', 'no ladder')])],
        [recordOf(2, [line('warning', 'LADDER')])],
      ],
    );
    const { rows, complete } = await read(source, { text: 'App lAD', level: 'info' });
    assert.deepEqual([rows.length, complete], [1, true]); // “app LADDER”
    const warned = await read(source, { text: 'ladder', level: 'warning' });
    assert.deepEqual(warned, {
      rows: [
        { token: 'abc001', time: 5, level: 'error', channel: 'app', message: 'no ladder' },
        { token: 'abc002', time: 5, level: 'warning', channel: 'app', message: 'LADDER' },
      ],
      complete: true,
    });
    assert.equal((await read(source, {})).rows.length, 3);
  });

  it('only queries requests that have such lines', async () => {
    const columns: unknown[] = [];
    for (const level of [undefined, 'debug', 'notice', 'warning', 'error', 'emergency']) {
      const source = sourceOf([], [[]]);
      await read(source, level === undefined ? {} : { level });
      const [condition] = source.listed[0]?.where ?? [];
      assert.deepEqual(condition?.test, { kind: 'numbers', ranges: [[1, null]] });
      columns.push(condition?.columns[0]);
    }
    assert.deepEqual(columns, ['logs', 'logs', 'logs', 'warnings', 'errors', 'errors']);
  });

  it('stops at the line limit, and after 500 records', async () => {
    const source = sourceOf(
      [],
      [[recordOf(1, [line('info', 'a'), line('info', 'b')])], [recordOf(2, [line('info', 'c')])]],
    );
    assert.deepEqual((await read(source, {}, 3)).complete, false);
    const two = await read(source, {}, 2);
    assert.deepEqual([two.rows.length, two.complete], [2, false]);
    assert.equal((await read(source, {}, 4)).complete, true);
    const quiet = Array.from({ length: 600 }, (_, index) => recordOf(index, []));
    const pages = Array.from({ length: 6 }, (_, page) => quiet.slice(page * 100, page * 100 + 100));
    const long = sourceOf([], pages);
    assert.deepEqual(await read(long, {}), { rows: [], complete: false });
    assert.equal(long.listed.length, 5);
    assert.deepEqual(await read(sourceOf([], pages.slice(0, 5)), {}), { rows: [], complete: true });
  });

  it('rejects unknown levels', () => {
    const refused = recordReports.logs.read(sourceOf([]), { ...input, values: { level: 'loud' } });
    assert.match(
      typeof refused === 'string' ? refused : '',
      /^"level" must be one of debug, .*, not "loud"\.$/,
    );
  });
});
