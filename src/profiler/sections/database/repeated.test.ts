import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupQueries, shapeOf } from './repeated.js';
import type { DbGroup } from './queries.js';
import type { ComparedQuery } from './repeated.js';

const query = (sql: string, values: string, line: number, durationMs = 1): ComparedQuery => ({
  sql,
  params: [{ value: values }],
  durationMs,
  connection: 'postgresql',
  callSite: [{ name: 'list', file: '/app/list.js', line, column: 1 }],
});

describe('groupQueries', () => {
  it('finds loops by call site and statement, and duplicates by statement and values', () => {
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

  it('counts the same query three times as a duplicate, not as a loop', () => {
    const groups = groupQueries([1, 2, 3].map(() => query('select 1', '', 1)));
    assert.deepEqual(
      groups.map(({ kind, count }) => [kind, count]),
      [['duplicate', 3]],
    );
  });

  it('gives a group the time in which any of its queries ran, counting concurrent ones once', () => {
    const at = (startedAt: number, durationMs: number, value: string) => ({
      ...query('select * from a where b = ?', value, 5, durationMs),
      startedAt,
    });
    const [group] = groupQueries([at(1010, 20, '1'), at(1000, 20, '2'), at(1005, 5, '3'), at(1100, 7, '4')]);
    assert.deepEqual([group?.count, group?.durationMs], [4, 37]);
  });

  it('counts queries that the record does not keep', () => {
    const site = { name: 'list', file: '/app/list.js', line: 10, column: 1 };
    const omitted = {
      sql: 'select * from author where id = ?',
      connection: 'postgresql',
      callSite: [site],
      count: 4800,
      durationMs: 14_000,
      isVaried: true,
    };
    const kept = ['1', '2', '3'].map((value) => query('select * from author where id = ?', value, 10, 2));
    const counted = (groups: readonly DbGroup[]): unknown =>
      groups.map(({ kind, count, durationMs }) => [kind, count, durationMs]);
    assert.deepEqual(counted(groupQueries(kept, [omitted])), [['n+1', 4803, 14_006]]);
    assert.deepEqual(counted(groupQueries([], [omitted])), [['n+1', 4800, 14_000]]);
    assert.deepEqual(counted(groupQueries([], [{ ...omitted, isVaried: false }])), [
      ['duplicate', 4800, 14_000],
    ]);
    const elsewhere = { ...omitted, callSite: [{ ...site, line: 11 }] };
    assert.deepEqual(counted(groupQueries(kept, [elsewhere])), [
      ['n+1', 4800, 14_000],
      ['n+1', 3, 6],
    ]);
    assert.deepEqual(groupQueries([], [{ ...omitted, sql: 'insert into a values (?)' }]), []);
  });

  const paged = (sql: string, rows: readonly number[]): ComparedQuery[] =>
    rows.map((count, at) => ({ ...query(sql, String(at), 5), rows: count }));

  it("does not count a large result's batches as a loop", () => {
    for (const [sql, rows] of [
      ['select * from a where id > ? order by id limit ?', [500, 500, 500, 0]],
      ['select * from a where tenant = ? and id > ? limit 500', [500, 500, 17]],
      ['select * from a order by id limit 100 offset ?', [100, 100, 100]],
      ['select * from a where id between ? and ?', [480, 500, 490, 3]],
    ] as const)
      assert.deepEqual(groupQueries(paged(sql, rows)), [], sql);
  });

  it('still counts a loop whose queries return few rows, varying numbers of rows, or use a key', () => {
    for (const [sql, rows] of [
      ['select * from a where id > ? order by id limit ?', [1, 1, 1]],
      ['select * from a where day > ? limit 100', [100, 80, 30, 100]],
      ['select * from a where post = ? limit 20', [20, 20, 20]],
      ['select * from a where post = ? and id > 0', [50, 60, 70]],
    ] as const)
      assert.equal(groupQueries(paged(sql, rows))[0]?.kind, 'n+1', sql);
  });

  it('does not count a read as repeated if its table was written in between', () => {
    const read = (sql = 'select * from "shop"."page" where id = ?'): ComparedQuery => query(sql, '1', 10);
    for (const write of [
      'insert into page (id) values (?)',
      'INSERT OR IGNORE INTO `page` VALUES (?)',
      'update "shop"."page" set title = ?',
      'update only page set title = ?',
      'delete from [dbo].[page] where id = ?',
      'truncate table page',
      'merge into page using other on true',
      'call refresh(?)',
    ])
      assert.deepEqual(groupQueries([read(), query(write, '2', 11), read()]), [], write);
    const find = (): ComparedQuery => read('page.find({"id":1})');
    assert.deepEqual(groupQueries([find(), query('page.updateOne({}, {})', '2', 11), find()]), []);
  });

  it('counts a read as repeated if another table was written, another database, or before and after it', () => {
    const read = (): ComparedQuery => query('select * from page where id = ?', '1', 10);
    const write = (table: string): ComparedQuery => query(`update ${table} set title = ?`, '2', 11);
    const groups = (list: readonly ComparedQuery[]): unknown =>
      groupQueries(list).map(({ kind, queries }) => [kind, queries]);
    assert.deepEqual(groups([read(), write('book'), read()]), [['duplicate', [0, 2]]]);
    const elsewhere = { ...write('page'), connection: 'mysql' };
    assert.deepEqual(groups([read(), elsewhere, read()]), [['duplicate', [0, 2]]]);
    assert.deepEqual(groups([write('page'), read(), read(), write('page'), read()]), [['duplicate', [1, 2]]]);
  });

  it("ignores statements from lookback's own stores", () => {
    const own = (value: string): ComparedQuery => ({
      ...query('select 1 from s where k = ?', value, 1),
      isOwn: true,
    });
    assert.deepEqual(groupQueries([own('a'), own('a'), own('b'), own('c')]), []);
  });

  it('ignores the same statement for two databases', () => {
    const both = [query('select 1', '', 1), { ...query('select 1', '', 1), connection: 'mysql' }];
    assert.deepEqual(groupQueries(both), []);
    const further = { ...query('select * from a where b = ?', '3', 5), connection: 'mysql' };
    const two = ['1', '2'].map((value) => query('select * from a where b = ?', value, 5));
    assert.deepEqual(groupQueries([...two, further]), []);
  });

  it('ignores values and list lengths in shapes', () => {
    assert.equal(
      shapeOf("select * from a where b in (?, ?, ?)  and c = 'x''y' and d = 12"),
      'select * from a where b in (?…) and c = ? and d = ?',
    );
    assert.equal(shapeOf('select a1 from t2 where x in ($1, $2)'), 'select a1 from t2 where x in (?…)');
  });
});
