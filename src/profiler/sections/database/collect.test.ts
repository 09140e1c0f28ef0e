import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { dump } from '#core/dump';
import { published } from '../../../../test/profiler/shown-sections.js';
import { DbFacts } from './collect.js';
import { dbDefinition } from './section.js';
import { type DbInput, dbLimits, type DbSection } from './queries.js';

let clock = 0;

/** Returns the data collected for these queries in a request that began at 900. */
function inputOf(queries: readonly Readonly<Record<string, unknown>>[]): DbInput {
  const facts = new DbFacts(dump);
  for (const query of queries) facts.addQuery({ sql: 'select 1', durationMs: 10, ...query }, 900);
  return facts.toInput(0) ?? assert.fail('nothing was collected');
}

/** Mocks the clock for a suite's tests. */
function withClock(): void {
  beforeEach(() => {
    clock = 1000;
    mock.method(performance, 'now', () => clock);
  });
  afterEach(() => mock.restoreAll());
}

describe('query facts', () => {
  withClock();
  it('have start times relative to the request, and are counted with duration and failures', () => {
    const { queries, totals } = inputOf([{}, { error: new Error('no'), durationMs: 5, isRemembered: true }]);
    assert.deepEqual(
      queries.map(({ offsetMs, durationMs, error, isRemembered }) => [
        offsetMs,
        durationMs,
        error,
        isRemembered,
      ]),
      [
        [90, 10, null, undefined],
        [95, 5, 'no', true],
      ],
    );
    assert.deepEqual([totals.queries, totals.failed, totals.durationMs], [2, 1, 15]);
  });

  it("count lookback's own statements separately from the application's queries", () => {
    const own = { isOwn: true, durationMs: 200 };
    const { queries, totals } = inputOf([{}, own, own]);
    assert.deepEqual([queries.length, totals.queries, totals.own], [3, 3, { queries: 2, durationMs: 400 }]);
    const { numbers = {} } = dbDefinition;
    const input = inputOf([{}, own, own]);
    assert.deepEqual(
      ['queries', 'durationMs', 'slow'].map((name) => numbers[name]?.of(input)),
      [1, 10, 0],
    );
  });

  it('ignore anything that is not a query', () => {
    const facts = new DbFacts(dump);
    for (const message of [
      {},
      { sql: 1, durationMs: 1 },
      { sql: 'select 1' },
      { sql: 'select 1', durationMs: '1' },
    ])
      facts.addQuery(message, 0);
    facts.addFlush({});
    facts.addChange({ action: 'update' });
    facts.addChange({ entity: 'Author' });
    facts.addUnflushed({ action: 'update' });
    facts.addTransaction({ kind: 'begin' });
    assert.equal(facts.toInput(0), undefined);
  });

  it('keep statements and parameter lists within their limits', () => {
    const { queries } = inputOf([
      { sql: 's'.repeat(4001), params: Array.from({ length: 51 }, () => 1), connection: 'c'.repeat(201) },
    ]);
    const [query] = queries;
    assert.deepEqual([query?.sql.length, query?.params.length, query?.connection.length], [4000, 50, 200]);
    assert.deepEqual(inputOf([{ params: 'none' }]).queries[0]?.params, []);
  });

  it('keep primitives unchanged, and take snapshots of other values', () => {
    const short = 'x'.repeat(500);
    const params = [short, `${short}x`, 1, -0, true, null, undefined, [1], 10n];
    const values = inputOf([{ params }]).queries[0]?.params.map(({ value }) => value) ?? [];
    assert.deepEqual(
      values.map((value) => (typeof value === 'object' && value !== null ? value.type : value)),
      [short, 'string', 1, 'number', true, null, undefined, 'array', 'bigint'],
    );
  });

  it('have the error without the statement that drivers prepend to it', () => {
    const errorOf = (sql: string, error: unknown): string | null | undefined =>
      inputOf([{ sql, error }]).queries[0]?.error;
    assert.equal(
      errorOf('select 1 from a', new Error("SELECT 1 from a where x = 'secret' - no such table")),
      'no such table',
    );
    assert.equal(errorOf('select 1 from a', new Error('insert - no')), 'insert - no');
    assert.equal(errorOf('select 1 from a', '- no'), 'no');
    assert.equal(errorOf('select 1', null), 'failed');
    assert.equal(errorOf('select 1', 'e'.repeat(1001))?.length, 1000);
  });

  it('are limited to 200; the others have a number, a period, and at most the elapsed time', () => {
    const facts = new DbFacts(dump);
    const add = (durationMs: number): void => facts.addQuery({ sql: 'select 1', durationMs }, 900);
    for (let at = 0; at < dbLimits.queries; at++) add(1);
    assert.equal(facts.toInput(0)?.rest, null);
    clock = 1100;
    add(20);
    assert.deepEqual(facts.toInput(0)?.rest, { count: 1, offsetMs: 180, durationMs: 20, busyMs: 20 });
    add(15); // at the same time
    assert.deepEqual(facts.toInput(0)?.rest, { count: 2, offsetMs: 180, durationMs: 20, busyMs: 20 });
    clock = 1200;
    add(10);
    assert.deepEqual(facts.toInput(0)?.rest, { count: 3, offsetMs: 180, durationMs: 120, busyMs: 30 });
    assert.deepEqual([facts.toInput(0)?.queries.length, facts.toInput(0)?.totals.queries], [200, 203]);
  });

  it('share one limit on total text length', () => {
    const { queries, rest } = inputOf(Array.from({ length: 60 }, () => ({ sql: 's'.repeat(4000) })));
    assert.equal(queries.length, 38); // 4,130 characters each, within 160,000
    assert.equal(rest?.count, 22);
    const params = Array.from({ length: 50 }, () => 'p'.repeat(400));
    assert.ok(inputOf(Array.from({ length: 20 }, () => ({ params }))).queries.length < 8);
    const callSite = Array.from({ length: 6 }, () => ({ file: 'f'.repeat(1000), name: 'n'.repeat(300) }));
    assert.equal(inputOf(Array.from({ length: 40 }, () => ({ callSite }))).queries.length, 19); // 8,298 characters each
  });
});

describe('entity facts', () => {
  withClock();
  it('are counted by flushes and transactions', () => {
    const facts = new DbFacts(dump);
    facts.addFlush({ durationMs: 2, created: 1, updated: 2, removed: 3 });
    facts.addFlush({ durationMs: 3, created: 10, updated: -1 });
    for (const kind of ['commit', 'commit', 'rollback']) facts.addTransaction({ kind });
    assert.deepEqual(facts.toInput(0)?.totals, {
      queries: 0,
      failed: 0,
      durationMs: 0,
      flushes: 2,
      flushMs: 5,
      commits: 2,
      rollbacks: 1,
      created: 11,
      updated: 2,
      removed: 3,
    });
  });

  it('are collected if there are any', () => {
    for (const add of [
      (facts: DbFacts) => facts.addFlush({ durationMs: 0 }),
      (facts: DbFacts) => facts.addTransaction({ kind: 'commit' }),
      (facts: DbFacts) => facts.addTransaction({ kind: 'rollback' }),
      (facts: DbFacts) => facts.addChange({ action: 'update', entity: 'Author', id: '1' }),
      (facts: DbFacts) => facts.addUnflushed({ entity: 'Author' }),
    ]) {
      const facts = new DbFacts(dump);
      add(facts);
      assert.ok(facts.toInput(0) !== undefined, String(add));
    }
  });

  it('include changes, limited to 100 and 40,000 characters', () => {
    const facts = new DbFacts(dump);
    for (let at = 0; at < 101; at++)
      facts.addChange({ action: 'update', entity: 'A', id: 'i'.repeat(201), values: at });
    const changes = facts.toInput(0)?.changes ?? [];
    assert.deepEqual([changes.length, changes[0]?.id.length], [100, 200]);
    const large = new DbFacts(dump);
    for (let at = 0; at < 50; at++)
      large.addChange({
        action: 'a',
        entity: 'A',
        values: Array.from({ length: 30 }, () => 'v'.repeat(200)),
      });
    assert.ok((large.toInput(0)?.changes.length ?? 0) < 10);
  });

  it('include unflushed entities, limited to 20 with 20 fields each', () => {
    const facts = new DbFacts(dump);
    const fields = Array.from({ length: 21 }, () => 'f'.repeat(101));
    for (let at = 0; at < 21; at++) facts.addUnflushed({ action: 'update', entity: 'A', id: 1, fields });
    facts.addUnflushed({ entity: 'A', fields: 'name' });
    const { unflushed } = facts.toInput(0) ?? assert.fail('nothing was collected');
    assert.deepEqual(
      [unflushed.length, unflushed[0]?.fields.length, unflushed[0]?.fields[0]?.length, unflushed[0]?.id],
      [20, 20, 100, ''],
    );
    const other = new DbFacts(dump);
    other.addUnflushed({ entity: 'A', fields: 'name' });
    assert.deepEqual(other.toInput(0)?.unflushed, [{ action: '', entity: 'A', id: '', fields: [] }]);
  });
});

describe('the database collector', () => {
  withClock();
  it('collects what is published on its channels', async () => {
    const record = await published([
      ['persistence:query', { sql: 'select 1', durationMs: 1 }],
      ['persistence:flush', { durationMs: 1, created: 1 }],
      ['persistence:change', { action: 'create', entity: 'Author', id: '1', values: {} }],
      ['persistence:unflushed', { action: 'update', entity: 'Author', id: '2', fields: ['name'] }],
      ['persistence:transaction', { kind: 'commit' }],
    ]);
    const { queries, totals, changes, unflushed } = record.sections['db'] as DbSection; // the type that the collector stores
    assert.deepEqual(
      [
        queries.length,
        totals.flushes,
        totals.created,
        totals.commits,
        changes[0]?.entity,
        unflushed?.[0]?.fields,
      ],
      [1, 1, 1, 1, 'Author', ['name']],
    );
  });
});
