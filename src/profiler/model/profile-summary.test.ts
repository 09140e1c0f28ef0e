import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSourceLoader, flattenError } from '#core/errors';
import { plain, query } from '../../../test/profiler/plain-record.js';
import { durationQuantile } from './profile-query.js';
import {
  durationClass,
  countLogged,
  levelsOf,
  summaryOf,
  findColumn,
  isCollectedName,
  listColumns,
  readSummary,
  toStoredText,
  valuesOf,
} from './profile-summary.js';

/** Returns the stored values of a summary by column name. */
function storedRow(summary: Parameters<typeof valuesOf>[0]): Record<string, unknown> {
  const values = valuesOf(summary);
  return Object.fromEntries(listColumns.map(({ name }, at) => [name, values[at]]));
}

describe("a record's row", () => {
  const row = summaryOf(plain, {});

  it('has null, 0 or nothing for facts that the record lacks', () => {
    const empty = summaryOf({ ...plain, response: null }, {});
    const { status, route, exception, errorClass, errorLocation, queryLocation, trace, visitor, instance } =
      empty;
    assert.deepEqual(
      [status, route, exception, errorClass, errorLocation, queryLocation, trace, visitor, instance],
      [0, null, null, null, null, null, null, null, null],
    );
  });

  it("has the record's facts, and of its errors those of the innermost with an application line", () => {
    const inner = new TypeError('the cause');
    const error = flattenError(new RangeError('what the client saw', { cause: inner }));
    const full = summaryOf(
      {
        ...plain,
        request: { ...plain.request, visitor: 'abc', user: 'ada' },
        route: { name: 'home', path: '/', parameters: [], trace: null, allow: [] },
        exception: error,
        logTotals: {
          total: 9,
          byLevel: { warning: 2, error: 1, alert: 1, info: 5 },
          omitted: 0,
          omittedAfter: 0,
        },
        sections: { trace: { trace: { traceId: '0af7' } } },
        config: { instance: 'host:1', version: '' },
      },
      { 'db.queries': 2 },
    );
    const { trace, visitor, user, route, exception, errorClass, logs, warnings, errors } = full;
    assert.deepEqual(
      [trace, visitor, user, route, exception, errorClass, logs, warnings, errors],
      ['0af7', 'abc', 'ada', 'home', 'the cause', 'TypeError', 9, 4, 2],
    );
    assert.deepEqual([full.instance, full.version, full.collected], ['host:1', null, { 'db.queries': 2 }]);
    assert.equal(full.status, 200);
  });

  it('has its query location, as recorded or mapped to the sources', () => {
    const site = { file: 'file:///srv/dist/shop.js', line: 3, column: 1 };
    const slow = { ...query({ durationMs: 900 }), callSite: [{ function: 'list', ...site }] };
    const record = { ...plain, sections: { db: { queries: [slow], groups: [] } } };
    const sources = {
      ...createSourceLoader(),
      findOriginal: () => ({ path: '/srv/src/shop.ts', line: 7, column: 1 }),
    };
    const locations = [undefined, sources].map((given) => summaryOf(record, {}, given).queryLocation);
    assert.deepEqual(locations, ['/srv/dist/shop.js:3', '/srv/src/shop.ts:7']);
  });

  it('is read back as it was stored, even with large integers as text', () => {
    const given = { ...row, status: 503, durationMs: 12.5, startedAt: 1_700_000_000_000.123, user: 'ada' };
    const stored = storedRow(given);
    assert.deepEqual(readSummary(stored, { 'db.queries': 1 }), { ...given, collected: { 'db.queries': 1 } });
    const texts = Object.fromEntries(
      Object.entries(stored).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : value,
      ]),
    );
    assert.deepEqual(readSummary(texts, {}), given);
  });

  it('is stored bounded: times to a microsecond, 31-bit integers, texts cut with an ellipsis', () => {
    const stored = storedRow({
      ...row,
      startedAt: 1000.123_456,
      status: 2 ** 40,
      logs: 3.9,
      errors: Number.NaN,
      durationMs: Number.POSITIVE_INFINITY,
      method: 'm'.repeat(301),
      state: 'complete',
      url: 'u'.repeat(4000),
      path: `${'p'.repeat(3998)}\u{1f600}`,
      exception: 'e'.repeat(4001),
    });
    assert.equal(stored['started_at'], 1000.123);
    assert.deepEqual(
      [stored['status'], stored['logs'], stored['errors'], stored['duration_ms']],
      [2 ** 31 - 1, 3, 0, 0],
    );
    assert.equal(stored['method'], `${'m'.repeat(299)}…`);
    assert.equal(stored['url'], 'u'.repeat(4000));
    assert.equal(stored['path'], `${'p'.repeat(3998)}\u{1f600}`);
    assert.equal(stored['error_message'], `${'e'.repeat(3999)}…`);
  });

  it('has columns for ordering and counting', () => {
    const stored = storedRow({ ...row, startedAt: 1000, durationMs: 2 });
    assert.deepEqual([stored['closed_at'], stored['duration_class']], [1002, 8]);
    assert.equal(findColumn('closedAt')?.type, 'time');
    assert.equal(findColumn('durationClass')?.type, 'integer');
    assert.deepEqual(
      listColumns.filter(({ isNullable }) => isNullable).map(({ field }) => field),
      [
        'route',
        'user',
        'trace',
        'visitor',
        'errorClass',
        'exception',
        'errorLocation',
        'fingerprint',
        'queryLocation',
        'instance',
        'version',
        'findings',
      ],
    );
    assert.equal(findColumn('user')?.name, 'user_name');
    assert.equal(findColumn('clientAddress')?.name, 'client_address');
    assert.equal(findColumn('nothing'), undefined);
  });
});

describe('a stored text', () => {
  it('has no NUL and no lone surrogate, and is otherwise unchanged', () => {
    assert.equal(toStoredText('a\0b\ud83d'), 'a\ufffdb\ufffd');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stored = toStoredText(text);
        assert.equal(stored, text.replaceAll('\0', '\ufffd').toWellFormed());
      }),
    );
  });
});

describe('the name of a section number', () => {
  it('has a section and a name, at most 100 characters, and does not belong to a pin', () => {
    for (const name of ['db.queries', 'my-part.a.b_c-d', `a.${'b'.repeat(98)}`])
      assert.equal(isCollectedName(name), true, name);
    for (const name of ['db', 'db.', '.queries', 'mark.at', 'db queries', `a.${'b'.repeat(99)}`, 'a.b;'])
      assert.equal(isCollectedName(name), false, name);
  });
});

describe('logged errors and warnings', () => {
  it('are counted by level, with errors among the warnings', () => {
    const byLevel = { warning: 3, error: 1, critical: 2, alert: 4, emergency: 8, notice: 100, info: 100 };
    const totals = { total: 0, omitted: 0, omittedAfter: 0 };
    assert.deepEqual(levelsOf({ ...totals, byLevel }), { warnings: 18, errors: 15, nodeWarnings: 0 });
    const ofNode = levelsOf({ ...totals, byLevel, nodeWarnings: 2 });
    assert.deepEqual(ofNode, { warnings: 16, errors: 15, nodeWarnings: 2 });
    assert.deepEqual(levelsOf({ ...totals, byLevel: {} }), { warnings: 0, errors: 0, nodeWarnings: 0 });
  });

  it('exclude the exception, which takes one error or else one warning', () => {
    const count = (warnings: number, errors: number, exception: unknown): readonly number[] =>
      Object.values(countLogged({ warnings, errors }, exception));
    assert.deepEqual(count(5, 2, null), [2, 3]);
    assert.deepEqual(count(5, 2, {}), [1, 3]);
    assert.deepEqual(count(3, 0, {}), [0, 2]);
    assert.deepEqual(count(0, 0, {}), [0, 0]);
  });
});

describe('duration classes', () => {
  it('are 9 % wide, from −200', () => {
    assert.deepEqual([1, 2, 4, 1.09, 1.1, 0.5].map(durationClass), [0, 8, 16, 0, 1, -8]);
    assert.deepEqual([0, -1, 1e-30, Number.NaN].map(durationClass), [-200, -200, -200, -200]);
  });

  it('give a quantile that is one of the durations, at most 9 % above the exact one', () => {
    const duration = fc.double({ min: 0.01, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1, maxLength: 40 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (all, share) => {
          const sorted = all.toSorted((a, b) => a - b);
          const classes = new Map<number, number[]>();
          for (const ms of sorted)
            classes.set(durationClass(ms), [...(classes.get(durationClass(ms)) ?? []), ms]);
          const durations = [...classes.values()].map((own) => [Math.max(...own), own.length] as const);
          const found = durationQuantile({ durations }, share);
          const exact = sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)] ?? 0;
          assert.ok(sorted.includes(found));
          assert.ok(found >= exact && found <= exact * 1.0906, `${found} for ${exact}`);
        },
      ),
    );
    assert.equal(durationQuantile({ durations: [] }, 0.5), 0);
    assert.equal(
      durationQuantile(
        {
          durations: [
            [1, 1],
            [3, 1],
          ],
        },
        0.5,
      ),
      1,
    );
  });
});
