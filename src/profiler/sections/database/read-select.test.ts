import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Snapshot } from '#core/dump';
import type { DbQuery } from './queries.js';
import { readSelect } from './read-select.js';

const query = (sql: string, ...values: Snapshot[]): DbQuery => ({
  sql,
  params: values.map((value) => ({ name: null, value })),
  startedAt: 0,
  durationMs: 1,
  rows: null,
  connection: 'sqlite',
  error: null,
  callSite: [],
});

describe('a query to explain', () => {
  it('is exactly one SELECT', () => {
    for (const sql of [
      'delete from a',
      'select 1; delete from a',
      "select ';'", // a semicolon anywhere: databases read quotes differently
      'with gone as (delete from a returning *) select * from gone',
      'select * into b from a',
      'select * from a for update',
      'explain select 1',
      'values (1)',
      '-- select\nanalyze delete from a',
      `select ${'a, '.repeat(2000)} b`,
      '',
    ])
      assert.equal(readSelect(query(sql)), undefined, sql);
    for (const sql of [
      'select 1',
      'SELECT 1;',
      '(select 1) union (select 2)',
      'with a as (select 1) select 2',
    ])
      assert.notEqual(readSelect(query(sql)), undefined, sql);
  });

  it('loses its comments, which databases may read as statements', () => {
    // With nested comments, the first one ends after `1`, and the rest would be `explain analyze delete`.
    const select = readSelect(query('/* /* */ select/**/1 -- */ analyze delete from a'));
    assert.equal(select?.sql.trim(), 'select 1');
  });

  it('is also written with numbered placeholders, and without any', () => {
    const select = readSelect(
      query("select '?' from a where b = ? and c = ?", { type: 'number', text: '3' }, { type: 'null' }),
    );
    assert.equal(select?.numbered, "select '?' from a where b = $1 and c = $2");
    assert.equal(select?.bare, "select '?' from a where b = NULL and c = NULL");
    assert.deepEqual(select?.values, [3, null]);
    assert.equal(readSelect(query('select ?'))?.hasPlaceholders, true);
    assert.equal(readSelect(query("select '?'"))?.hasPlaceholders, false);
  });

  it('has values only if all of them are complete, by position or number', () => {
    const text = (value: string, length?: number): Snapshot => ({
      type: 'string',
      text: value,
      ...(length === undefined ? {} : { length }),
    });
    assert.deepEqual(readSelect(query('select $2, $1, $2', text('a'), text('b')))?.values, ['a', 'b']);
    assert.equal(readSelect(query('select ?', text('cut', 900)))?.values, undefined);
    assert.equal(readSelect(query('select ?', { type: 'redacted' }))?.values, undefined);
    assert.equal(readSelect(query('select :name', text('a')))?.values, undefined);
    assert.equal(readSelect(query('select ?, ?', text('a')))?.values, undefined);
  });
});
