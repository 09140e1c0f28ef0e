import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { namePlaceholders } from './name-placeholders.js';

describe('namePlaceholders', () => {
  it('finds the column of a value', () => {
    const cases: [string, (string | null)[]][] = [
      ['select * from `user` where `u0`.`email` = ? and `u0`.`password` like ?', ['email', 'password']],
      ['select 1 from "t" where "t"."id" in ($1, $2) and x between ? and ?', ['id', 'id', 'x', 'x']],
      [
        'insert into "user" ("name", "password") values (?, ?), (?, ?) returning "id"',
        ['name', 'password', 'name', 'password'],
      ],
      [
        'INSERT INTO "user"("id","name","password") VALUES (DEFAULT, $1, $2) RETURNING "id"',
        ['name', 'password'],
      ],
      [
        "insert into t (id, at, note, token) values (1, now(), 'a, (b)', ?), (2, lower(trim(?)), ?, ?)",
        ['token', 'at', 'note', 'token'],
      ],
      [
        'insert into t (name, password) values ($1, crypt($2, gen_salt($3))) on conflict (name) do update set password = $4',
        ['name', 'password', 'password', 'password'],
      ],
      ['replace into t (a, b) overriding user value values (null, ?)', ['b']],
      ['insert into t (a) values (?, ?)', ['a', null]],
      [
        'update t set password = crypt($1, gen_salt ($2)), a = 1 where lower(email) = $3',
        ['password', 'password', 'email'],
      ],
      ['update `user` set `password` = ?, `name` = ? where `id` = ?', ['password', 'name', 'id']],
      ["select * from t where name = 'why?' and token = ?", ['token']],
      ['select ? from t limit ?', [null, 'limit']],
      ['select $1::int as id, $2 as "name", b AS text, ?', [null, null, null]],
      ['update users as u set password = $1 where u.id = $2', ['password', 'id']],
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
