import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { namePlaceholders } from './name-placeholders.js';

describe('namePlaceholders', () => {
  it('tells the column of a value', () => {
    const cases: [string, (string | null)[]][] = [
      ['select * from `user` where `u0`.`email` = ? and `u0`.`password` like ?', ['email', 'password']],
      ['select 1 from "t" where "t"."id" in ($1, $2) and x between ? and ?', ['id', 'id', 'x', 'x']],
      [
        'insert into "user" ("name", "password") values (?, ?), (?, ?) returning "id"',
        ['name', 'password', 'name', 'password'],
      ],
      ['update `user` set `password` = ?, `name` = ? where `id` = ?', ['password', 'name', 'id']],
      ["select * from t where name = 'why?' and token = ?", ['token']],
      ['select ? from t limit ?', [null, 'limit']],
    ];
    for (const [sql, names] of cases) assert.deepEqual(namePlaceholders(sql), names, sql);
  });

  it('gives one name for each placeholder of any text, in linear time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '=', '?', '(', ')', ',', ' ', 'values', '.', 'insert into t')),
        (parts) => {
          const sql = parts.join(' ');
          assert.equal(namePlaceholders(sql).length, parts.filter((part) => part === '?').length);
        },
      ),
    );
    assert.equal(namePlaceholders(`select ${'('.repeat(50_000)}?`).length, 1);
    assert.equal(namePlaceholders(`insert into ${'('.repeat(50_000)}`).length, 0);
  });
});
