import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupQueries, shapeOf } from './repeated.js';
import type { ComparedQuery } from './repeated.js';

const query = (sql: string, values: string, line: number, durationMs = 1): ComparedQuery => ({
  sql,
  params: [{ value: values }],
  durationMs,
  connection: 'postgresql',
  callSite: [{ name: 'list', file: '/app/list.js', line, column: 1 }],
});

describe('groupQueries', () => {
  it('finds loops by place and statement, and duplicates by statement and values', () => {
    const groups = groupQueries([
      query('select * from author where id = ?', '1', 10, 2),
      query('select * from author where id = ?', '2', 10, 2),
      query('select * from author where id = ?', '2', 10, 2),
      query('select * from author where id = ?', '3', 20),
      query('select * from setting where name = ?', 'a', 30),
      query('select * from setting where name = ?', 'a', 40),
      query('update t set a = ?', '1', 50),
      query('update t set a = ?', '1', 50),
    ]);
    assert.deepEqual(
      groups.map(({ kind, count, durationMs, callSite, queries }) => [
        kind,
        count,
        durationMs,
        callSite?.line,
        queries,
      ]),
      [
        ['n+1', 3, 6, 10, [0, 1, 2]],
        ['duplicate', 2, 2, 30, [4, 5]],
      ],
    );
  });

  it('the same question three times is a duplicate, no loop', () => {
    const groups = groupQueries([1, 2, 3].map(() => query('select 1', '', 1)));
    assert.deepEqual(
      groups.map(({ kind, count }) => [kind, count]),
      [['duplicate', 3]],
    );
  });

  it('a group takes the time in which any of its queries ran, also of those that ran at once', () => {
    const at = (startedAt: number, durationMs: number, value: string) => ({
      ...query('select * from a where b = ?', value, 5, durationMs),
      startedAt,
    });
    const [group] = groupQueries([at(1010, 20, '1'), at(1000, 20, '2'), at(1005, 5, '3'), at(1100, 7, '4')]);
    assert.deepEqual([group?.count, group?.durationMs], [4, 37]);
  });

  it('the same statement for two databases is neither', () => {
    const both = [query('select 1', '', 1), { ...query('select 1', '', 1), connection: 'mysql' }];
    assert.deepEqual(groupQueries(both), []);
    const further = { ...query('select * from a where b = ?', '3', 5), connection: 'mysql' };
    const two = ['1', '2'].map((value) => query('select * from a where b = ?', value, 5));
    assert.deepEqual(groupQueries([...two, further]), []);
  });

  it('shapes leave out values and the length of lists', () => {
    assert.equal(
      shapeOf("select * from a where b in (?, ?, ?)  and c = 'x''y' and d = 12"),
      'select * from a where b in (?…) and c = ? and d = ?',
    );
    assert.equal(shapeOf('select a1 from t2 where x in ($1, $2)'), 'select a1 from t2 where x in (?…)');
  });
});
