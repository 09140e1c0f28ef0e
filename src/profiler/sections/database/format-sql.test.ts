import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import type { Snapshot } from '#core/dump';
import { fillSql, formatSql, sqlTokens } from './format-sql.js';

const text = (value: string): Snapshot => ({ type: 'string', text: value });

const spaceless = (sql: string): string => sql.replaceAll(/\s/g, '');

const pieces = fc.constantFrom(
  ...'select from where and or ( ) , ; ? $1 :a @b \' " ` [ ] -- /* */ $$ \\ \n \t join left on x é 12 \u202E'.split(
    ' ',
  ),
  ' ',
  '\n',
);

const statements = fc.oneof(
  fc.string(),
  fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
);

describe('SQL on the database panel', () => {
  it('tokens add up to the statement, for any text', () => {
    fc.assert(
      fc.property(statements, (sql) => {
        assert.equal(
          sqlTokens(sql)
            .map((token) => token.text)
            .join(''),
          sql,
        );
      }),
    );
  });

  it('formatting only changes spaces, but none within texts, names and comments', () => {
    fc.assert(
      fc.property(statements, (sql) => {
        const shown = formatSql(sql);
        assert.equal(spaceless(shown), spaceless(sql));
        for (const { kind, text: part } of sqlTokens(sql.trim()))
          if (kind === 'text' || kind === 'name') assert.ok(shown.includes(part.trim()), part);
      }),
    );
  });

  it('a clause starts a line, conditions are below it, and a statement in brackets is indented', () => {
    assert.equal(
      formatSql(
        'select a.id, count(*) from "a from b" a left join b on b.a = a.id where a.x in (?, ?) and a.y = (select max(y) from c where z = 1) group by a.id order by 2',
      ),
      [
        'select a.id, count(*)',
        'from "a from b" a',
        'left join b on b.a = a.id',
        'where a.x in (?, ?)',
        '  and a.y = (',
        '  select max(y)',
        '  from c',
        '  where z = 1',
        ')',
        'group by a.id',
        'order by 2',
      ].join('\n'),
    );
    assert.equal(formatSql('delete from a where id = ?'), 'delete from a\nwhere id = ?');
  });

  it('a long hostile statement takes linear time', () => {
    for (const part of ["'", '/*', '--', '$$', '"', '((((', 'select(', '[', ':', '?']) {
      const begun = process.cpuUsage();
      assert.equal(spaceless(formatSql(part.repeat(20_000))).length, part.length * 20_000);
      const took = process.cpuUsage(begun).user / 1000;
      assert.ok(took < 2000, `${part}: ${took} ms`); // `select(` took five seconds
    }
  });

  it('values are filled in by position or number, but not within texts, names and comments', () => {
    const filled = fillSql('select \'?\', "?" from t where a = ? and b = ? -- ?', [
      text("O'Hara"),
      { type: 'number', text: '3' },
    ]);
    assert.deepEqual(filled, {
      sql: "select '?', \"?\" from t where a = 'O''Hara' and b = 3 -- ?",
      open: 0,
    });
    assert.equal(
      fillSql('update t set a = $2, b = $1 where c ? 1', [
        { type: 'null' },
        { type: 'boolean', text: 'true' },
      ]).sql,
      'update t set a = TRUE, b = NULL where c ? 1',
    );
  });

  it('a redacted, truncated or structured value leaves its placeholder', () => {
    const values: Snapshot[] = [
      { type: 'redacted' },
      { type: 'string', text: 'be', length: 9 },
      { type: 'object', entries: [] },
      text('\\'),
    ];
    assert.deepEqual(fillSql('select ?, ?, ?, ?, ?', values), { sql: 'select ?, ?, ?, ?, ?', open: 5 });
  });

  it('no value ends its literal: the filled statement has the same tokens otherwise', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const { sql } = fillSql('select ? as x', [text(value)]);
        assert.equal(sqlTokens(sql).length, sqlTokens('select ? as x').length);
      }),
    );
  });
});
