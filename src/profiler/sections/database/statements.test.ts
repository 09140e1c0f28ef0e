import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, type Redactor } from '#core/dump';
import { readStatement } from './statements.js';

const redactor = createRedactor();

/** Returns how often a statement processed twice is analysed: once if it was cached. */
function looksAt(sql: string): number {
  let looks = 0;
  const text: Redactor['text'] = (given, options) => {
    looks++;
    return redactor.text(given, options);
  };
  const watched = { ...redactor, text };
  for (let time = 0; time < 2; time++) readStatement(sql, watched);
  return looks;
}

describe('statements', () => {
  it('are cached if all their values are placeholders', () => {
    for (const sql of [
      'select `a0`.* from `article` as `a0` where `a0`.`topic` = ? order by `a0`.`id` desc limit ?',
      'select count(*) as count from article2 where author = $1 and id in ($2, $3)',
      'SELECT "public"."User"."id", "User"."name" FROM "public"."User" WHERE ("public"."User"."id" = $1 AND active)',
      'select "a0".* from "article" as "a0" where "a0"."topic" = ? and "a0"."id" <> ?',
      'insert into author (name, born) values (?, ?)',
      'update author set name = :name, born = :p2 where id = @p1',
      'select * from author where id = ?1',
      'select a.* from article a where a.id > ? order by a.id limit 20',
      'begin',
    ])
      assert.equal(looksAt(sql), 1, sql);
  });

  it('are not cached if they may contain request data', () => {
    for (const sql of [
      "select * from author where name = 'ada'",
      'select * from author where id = 4711',
      'select * from author where id=7',
      'select * from author where born > -5',
      'select * from author where name = "ada"',
      'select * from author where name like "ada%"',
      'select * from author where name in (?, "ada")',
      'select * from author where name = lower("ada")',
      'insert into author values (?, "ada")',
      'select * from author where name = $$ada$$',
      'select * from author where name = $q$ada$q$',
      'select * from author where id = ? -- for ada',
      'select * from author /* ada */ where id = ?',
      'select * from author where name = ? limit 5 offset 4711',
      'select * from author where name = ? limit 47110',
      'GET user:ada',
      'users.find({"ada@example.org": ?})',
      "select 1 where password = 'hunter22'",
    ])
      assert.equal(looksAt(sql), 2, sql);
  });

  it('are not cached with any single-quoted text or number', () => {
    const value = fc.oneof(
      fc.nat().map(String),
      fc.string().map((text) => `'${text.replaceAll("'", "''")}'`),
    );
    fc.assert(
      fc.property(value, (given) => {
        assert.equal(looksAt(`select * from author where ${given} = name`), 2);
      }),
    );
  });
});

describe('statement values', () => {
  it('are secret by column, by function, and if an insert names no column for them', () => {
    const cases: readonly (readonly [string, readonly boolean[]])[] = [
      ['select * from t where name = $1 and password = $2', [false, true]],
      ['select * from t where $1 = password', [true]],
      ['select $1::text as password, $2 as name', [true, false]],
      ["select * from t where $1 = crypt($1, 'a') and id = $2", [true, false]],
      ['select * from t where crypt(?, salt) = hash', [true]],
      ['select digest($1, $2)', [true, true]],
      ['insert into users values (default, $1, $2)', [true, true]],
      ['insert into users select * from unnest($1::text[], $2::text[])', [true, true]],
      ['insert into users (name, password) select * from unnest($1::text[], $2::text[])', [true, true]],
      ['insert into users (name, born) select * from unnest($1::text[], $2::date[])', [false, false]],
      ['insert into users (name, born) values ($1, $2)', [false, false]],
      ['select * from t where a in (?, ?) limit ?', [false, false, false]],
      ["update t set data = json_set(data, '$.password', ?) where id = ?", [true, false]],
      ["update t set data = json_set(data, '$.name', ?, '$.a.\"password\"', ?)", [false, true]],
      ["select json_insert('{}', '$.token', ?), json_replace(a, '$.b', ?)", [true, false]],
      ["update t set d = jsonb_set(d, '{auth,password}', to_jsonb($1::text)) where id = $2", [true, false]],
      ["select jsonb_build_object('name', $1::text, 'password', $2::text)", [false, true]],
      ["insert into t (id, data) values (?, json_object('password', ?, 'a', ?))", [false, true, false]],
      ["select 1 from t where data->>'password' = ? and name = ?", [true, false]],
      ["select 1 from t where data->'name' = ? and a > 'token' and b = ?", [false, false]],
      ["select set_config('app.password', $1, false)", [true]],
      ['select * from t where (password, id) = ($1, $2)', [true, false]],
      [
        'select * from t where (t."id", t."password") in ((?, ?), (?, ?)) and a = ?',
        [false, true, false, true, false],
      ],
      ['update t set (name, password) = row($1, crypt($2)) where id = $3', [false, true, false]],
      ['select * from t where (a, b) = ($1, $2) and (id, token) <> ($3, $4)', [false, false, false, true]],
      ['with n(password) as (values(?)) select * from n', [true]],
      ['with n(id, password) as (values (?, ?)) select 1', [true, true]],
      ['update u set password = v.password from (values (?, ?)) as v(id, password)', [true, true]],
      ['with n(id, name) as (values (?, ?)) select 1', [false, false]],
      ['ALTER USER bob PASSWORD ?', [true]],
      ['SET PASSWORD FOR ? = ?', [true, true]],
      ['PRAGMA key = ?', [true]],
    ];
    for (const [sql, secret] of cases)
      assert.deepEqual(
        readStatement(sql, redactor).placeholders.map(({ isSecret }) => isSecret),
        secret,
        sql,
      );
  });
});

describe('placeholder columns', () => {
  const columnsOf = (sql: string): (string | null)[] =>
    readStatement(sql, redactor).placeholders.map(({ column }) => column);

  it('are found if the statement reveals them', () => {
    const cases: [string, (string | null)[]][] = [
      ['select * from `user` where `u0`.`email` = ? and `u0`.`password` like ?', ['email', 'password']],
      ['select 1 from "t" where "t"."id" in ($1, $2) and x between ? and ?', ['id', 'id', 'x', 'x']],
      ['select 1 from t where (a."x", y) in ((?, ?), (?, ?)) and z = ?', ['x', 'y', 'x', 'y', 'z']],
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
      ['select $1::int as id, $2 as "name", b AS text, ?', ['id', 'name', null]],
      ['select * from t where $1 = password and ? <> "token"', ['password', 'token']],
      ['select * from t where a = $2 and b = $1 and c = $2', ['b', 'a']],
      ['update users as u set password = $1 where u.id = $2', ['password', 'id']],
    ];
    for (const [sql, names] of cases) assert.deepEqual(columnsOf(sql), names, sql);
  });

  it('are listed for each placeholder, for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '=', '?', '(', ')', ',', ' ', 'values', '.', 'insert into t')),
        (parts) => {
          const sql = parts.join(' ');
          assert.equal(columnsOf(sql).length, parts.filter((part) => part === '?').length);
        },
      ),
    );
    assert.equal(columnsOf(`select ${'('.repeat(3000)}?`).length, 1);
    assert.equal(columnsOf(`insert into ${'('.repeat(3000)}`).length, 0);
  });
});
