import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor, dump } from '#core/dump';
import type { ChannelMessage } from '../message-reader.js';
import { DbFacts } from './collect.js';
import { dbDefinition } from './section.js';
import { dbLimits, type DbSection } from './queries.js';

const redactor = createRedactor();

/** Returns the recorded section for these messages, in a request that began at 1,000,000 ms. */
function recorded(messages: readonly ChannelMessage[], meanwhile: () => void = () => undefined): DbSection {
  const facts = new DbFacts(dump);
  const start = performance.now();
  for (const message of messages) facts.addQuery(message, start);
  meanwhile();
  const input: unknown = JSON.parse(JSON.stringify(facts.toInput(0)));
  return dbDefinition.complete?.(dbDefinition.clean?.(input, redactor), 1_000_000) as DbSection; // its result type
}

const sql = 'select a.* from author a where a.name = ? and a.password = ? and a.id > ?';

describe('the db section in a record', () => {
  it('has every query fact, as it was when published', () => {
    const list = [1, { deep: 'before' }];
    const callSite = [{ name: 'show', file: '/app/show.js', line: 3, column: 7 }, { file: '/app/b.js' }];
    const message = { sql, params: ['ada', 'hunter2', -0, list, null], durationMs: 1.25, rows: 0, callSite };
    const { queries, totals } = recorded(
      [{ ...message, connection: 'main', error: new Error('no: x') }],
      () => {
        list.push(2);
        Object.assign(callSite[0] ?? {}, { line: 99 });
      },
    );
    const [query] = queries;
    assert.ok(query !== undefined && Math.abs(query.startedAt - 999_998.75) < 1000, `${query?.startedAt}`);
    const { startedAt: _at, params, ...rest } = query;
    assert.deepEqual(rest, {
      sql,
      durationMs: 1.25,
      rows: 0,
      connection: 'main',
      error: 'no: x',
      callSite: [
        { name: 'show', file: '/app/show.js', line: 3, column: 7 },
        { name: null, file: '/app/b.js', line: 0, column: 0 },
      ],
    });
    assert.deepEqual(
      params.map(({ name, value }) => [name, value.type, value.text]),
      [
        ['name', 'string', 'ada'],
        ['password', 'redacted', undefined],
        ['id', 'number', '-0'],
        [null, 'array', 'Array'],
        [null, 'null', 'null'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(params), /hunter2/);
    assert.match(JSON.stringify(params), /before/);
    assert.equal(params[3]?.value.length, 2);
    assert.deepEqual([totals.queries, totals.failed, totals.durationMs], [1, 1, 1.25]);
  });

  it('hides secrets in any message text, even if published again', () => {
    const secret = 'token=c4n4ry99';
    const message = {
      sql: `select 1 where x = '${secret}'`,
      params: [secret, { url: `https://ada:c4n4ry@db/` }],
      durationMs: 1,
      connection: `postgres://ada:c4n4ry@db/`,
      error: secret,
      callSite: [{ name: secret, file: `/app/x.js?${secret}`, line: 1, column: 1 }],
    };
    for (let time = 0; time < 2; time++) assert.doesNotMatch(JSON.stringify(recorded([message])), /c4n4ry/);
  });

  it('treats invalid durations and positions as 0, and invalid row counts as unknown', () => {
    const { queries, totals } = recorded([
      { sql: 'select 1', durationMs: Number.NaN, rows: -1 },
      { sql: 'select 2', durationMs: -5, rows: 1.5 },
      { sql: 'select 3', durationMs: 1, callSite: [{ file: 'x', line: Number.NaN, column: -1 }] },
    ]);
    assert.deepEqual(
      queries.map(({ durationMs, rows }) => [durationMs, rows]),
      [
        [0, null],
        [0, null],
        [1, null],
      ],
    );
    assert.deepEqual(queries[2]?.callSite[0], { name: null, file: 'x', line: 0, column: 0 });
    assert.equal(totals.durationMs, 1);
  });

  it('keeps no more than its limit, for any texts', () => {
    for (const text of ['x', '"', '\u0001', 'é', '\ud800']) {
      const message = {
        sql: text.repeat(3000),
        params: [text.repeat(500), text.repeat(5000)],
        durationMs: 1,
      };
      const { queries, totals } = recorded(Array.from({ length: 300 }, () => message));
      assert.equal(totals.queries, 300);
      const characters = queries.reduce(
        (sum, { sql: kept, params }) =>
          sum + kept.length + params.reduce((all, { value }) => all + (value.text?.length ?? 0), 0),
        0,
      );
      assert.ok(queries.length > 0 && characters <= dbLimits.queryBytes, text);
    }
  });

  it('provides the number of queries and the database time for lists', () => {
    const facts = new DbFacts(dump);
    for (const durationMs of [1, 2.5]) facts.addQuery({ sql: 'select 1', durationMs }, performance.now());
    const { queries, durationMs } = dbDefinition.numbers ?? {};
    assert.deepEqual([queries?.of(facts.toInput(0)), durationMs?.of(facts.toInput(0))], [2, 3.5]);
  });

  it("provides the longest query loop's length for lists", () => {
    const repeatedOf = (
      asked: readonly (readonly [sql: string, value: unknown, line: number])[],
    ): unknown => {
      const facts = new DbFacts(dump);
      for (const [text, value, line] of asked) {
        const callSite = [{ file: '/app/a.js', line }];
        facts.addQuery({ sql: text, params: [value], durationMs: 1, callSite }, performance.now());
      }
      return dbDefinition.numbers?.['repeated']?.of(facts.toInput(0));
    };
    const loop = (length: number, line: number): [string, unknown, number][] =>
      Array.from({ length }, (_, id) => ['select * from author where id = ?', id, line]);
    assert.equal(repeatedOf([...loop(6, 1), ...loop(4, 2)]), 6);
    assert.equal(repeatedOf(loop(2, 1)), 0);
    const same = loop(5, 1).map(([text, , line]): [string, unknown, number] => [text, 7, line]);
    assert.equal(repeatedOf(same), 0);
    assert.equal(dbDefinition.numbers?.['repeated']?.finding, 'N+1');
  });
});
