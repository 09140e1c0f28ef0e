import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordSchema } from '../model/profile-record.js';
import { baseColumns, collectedFields, columnsWith, type SummaryInput } from './summary-columns.js';
import { SummaryReader } from './summary-reader.js';
import { SummaryWriter } from './summary-writer.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });

const word = fc.option(fc.oneof(fc.constantFrom('a', 'b', 'home', ''), anyText));

const text = fc.option(anyText);

const count = fc.nat(100_000);

const ms = fc.nat(10 ** 8).map((ticks) => ticks / 10_000);

const row: fc.Arbitrary<SummaryInput> = fc.record({
  sequence: fc.nat(),
  startedAt: fc.integer({ min: 1.5e15, max: 1.9e15 }).map((microseconds) => microseconds / 1000),
  durationMs: ms,
  appMs: ms,
  databaseMs: ms,
  httpMs: ms,
  renderingMs: ms,
  state: fc.constantFrom('complete', 'unfinished', 'aborted'),
  method: fc.constantFrom('GET', 'POST', 'x'),
  origin: fc.constantFrom('http://a.test', ''),
  target: fc.oneof(fc.constantFrom('/', '/a?b#c', '*', 'http://b.test/x?y', 'a.test:443'), anyText),
  status: fc.nat(999),
  clientAddress: anyText,
  route: word,
  user: text,
  parent: text,
  trace: text,
  visitor: text,
  exception: text,
  errorClass: word,
  errorPlace: word,
  logs: count,
  warnings: count,
  errors: count,
  'db.queries': count,
  'db.timeMs': ms,
});

const db = {
  summary: { queries: { kind: 'count', of: () => 0 }, timeMs: { kind: 'ms', of: () => 0, finding: 'slow' } },
} as const;

const columns = columnsWith([['db', db]], { instance: 'web-1:7', version: '2' });

const sealed = (rows: readonly SummaryInput[]): ReturnType<SummaryWriter['seal']> => {
  const writer = new SummaryWriter(columns);
  for (const one of rows) writer.add(one);
  return writer.seal('profiler');
};

describe('the rows of a segment', () => {
  it('come back column by column, in any order of asking', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const reader = new SummaryReader(sealed(rows).directory);
        assert.deepEqual(
          [reader.schema, reader.bucket, reader.count],
          [recordSchema, 'profiler', rows.length],
        );
        for (const { name } of columns.toReversed()) {
          const expected = rows.map((one) => ({ instance: 'web-1:7', version: '2' })[name] ?? one[name]);
          assert.deepEqual(reader.column(name), expected, name);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('come back as summaries', () => {
    fc.assert(
      fc.property(row, (given) => {
        const { breakdown, ...read } = new SummaryReader(sealed([given]).directory).row(0, 17);
        assert.deepEqual(
          [read.key, read.bucket, read.instance, read.version],
          [17, 'profiler', 'web-1:7', '2'],
        );
        for (const name of [
          'sequence',
          'startedAt',
          'durationMs',
          'state',
          'method',
          'status',
          'route',
        ] as const)
          assert.equal(read[name], given[name], name);
        for (const name of [
          'user',
          'parent',
          'trace',
          'visitor',
          'exception',
          'errorClass',
          'errorPlace',
        ] as const)
          assert.equal(read[name], given[name], name);
        assert.deepEqual(read.collected, {
          'db.queries': given['db.queries'],
          'db.timeMs': given['db.timeMs'],
        });
        assert.deepEqual(
          [breakdown.app, breakdown.database, breakdown.http, breakdown.rendering],
          [given.appMs, given.databaseMs, given.httpMs, given.renderingMs],
        );
        assert.ok(breakdown.framework >= 0);
      }),
      { numRuns: 15 },
    );
  });

  it('facts are true of every value, and say nothing of columns they do not know', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (rows) => {
        const { facts } = sealed(rows);
        for (const { name, kind } of columns) {
          const fact = facts[name];
          if (kind === 'text' || kind === 'time' || kind === 'step') assert.equal(fact, undefined, name);
          if (fact === undefined) continue;
          for (const one of rows) {
            const value = { instance: 'web-1:7', version: '2' }[name] ?? one[name] ?? null;
            if ('values' in fact) assert.ok(fact.values.includes(value), name);
            else assert.ok(Number(value) >= fact.least && Number(value) <= fact.greatest, name);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it('facts of more than a hundred values are bounds for numbers, and nothing for words', () => {
    fc.assert(
      fc.property(row, (given) => {
        const of = (many: number) =>
          sealed(Array.from({ length: many }, (_, at) => ({ ...given, status: at, route: `r${at}` }))).facts;
        assert.equal((of(100)['route'] as { values: unknown[] }).values.length, 100); // words have values
        assert.equal(of(101)['route'], undefined);
        assert.deepEqual(of(101)['status'], { least: 0, greatest: 100 });
      }),
      { numRuns: 1 },
    );
  });

  it('of no request are none', () => {
    const reader = new SummaryReader(sealed([]).directory);
    assert.deepEqual([reader.count, reader.column('status'), reader.column('instance')], [0, [], []]);
    assert.deepEqual(reader.column('no such column'), []);
    assert.deepEqual(reader.collectedNames, ['db.queries', 'db.timeMs']);
  });

  it('have an absolute URL and a path without what is behind it', () => {
    const read = (origin: string, target: string): readonly unknown[] => {
      const [given] = fc.sample(row, 1);
      assert.ok(given !== undefined);
      const reader = new SummaryReader(sealed([{ ...given, origin, target }]).directory);
      const { url, path } = reader.row(0, 1);
      return [url, path];
    };
    assert.deepEqual(read('http://a.test', '/a/b?c=d#e'), ['http://a.test/a/b?c=d#e', '/a/b']);
    assert.deepEqual(read('http://a.test', '/a#e?c'), ['http://a.test/a#e?c', '/a']);
    assert.deepEqual(read('http://a.test', ''), ['http://a.test', '']);
    assert.deepEqual(read('http://a.test', '*'), ['*', '*']);
    assert.deepEqual(read('http://a.test', 'http://b.test/x?y'), ['http://b.test/x?y', '/x']);
    assert.deepEqual(read('http://a.test', 'http://b.test?y'), ['http://b.test?y', '/']);
    assert.deepEqual(read('http://a.test', '/go?to=http://b.test/'), [
      'http://a.test/go?to=http://b.test/',
      '/go',
    ]);
  });

  it('numbers of collectors are columns under the names of their sections', () => {
    assert.deepEqual(
      collectedFields([
        ['db', db],
        ['plain', {}],
      ]),
      [
        { column: 'db.queries', kind: 'count' },
        { column: 'db.timeMs', kind: 'ms', finding: 'slow' },
      ],
    );
    assert.deepEqual(
      columns.slice(baseColumns.length).map(({ name }) => name),
      ['db.queries', 'db.timeMs'],
    );
  });
});
