import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump, renderSnapshotText } from '#core/dump';
import { createRedactor } from './create-redactor.js';

const { text } = createRedactor();

describe('SQL in a text', () => {
  it('is reduced to its shape', () => {
    for (const [given, expected] of [
      [
        `insert into "user" ("email", "pw") values ('a@b', '$argon2id$v=19') returning "id" - duplicate key value violates unique constraint "user_email"`,
        `insert into "user" ("email", "pw") values (?, ?) returning "id" - duplicate key value violates unique constraint "user_email"`,
      ],
      [
        "update t set a = 'it''s', b = 123456, c = 10 where d = $1",
        'update t set a = ?, b = ?, c = 10 where d = $1',
      ],
      ['insert into `t` (`a`) values ("x", \'y\')', 'insert into `t` (`a`) values (?, ?)'],
      ['INSERT INTO t (a) VALUES ("x", \'y\')', 'INSERT INTO t (a) VALUES (?, ?)'],
      [
        "select `a`.* from `t` as `a` where `a`.`b` = 'x' - Unknown column 'a.b' in 'where clause'",
        "select `a`.* from `t` as `a` where `a`.`b` = ? - Unknown column 'a.b' in 'where clause'",
      ],
      ["with x as (select 1) delete from t where a = 'x'", 'with x as (select 1) delete from t where a = ?'],
      ["create role me with login 'x'", 'create role me with login ?'],
      ["insert into t values ('a - Table x', 'y')", 'insert into t values (?, ?)'],
      ['alter role me with password $$x$$', 'alter role me with password ?'],
      ['insert into t values ($q$a $$ b$q$, 1)', 'insert into t values (?, 1)'],
      ["insert into t values ('cut off", 'insert into t values (?'],
      ["insert into t values ('back\\', 'y'), ('z')", 'insert into t values (?)'],
    ] as const)
      assert.equal(text(given), expected);
  });

  it('is only reduced where a name is secret, with the rule "named"', () => {
    const rule = { statements: 'named' } as const;
    assert.equal(text("select a from t where b = 'x'", rule), "select a from t where b = 'x'");
    assert.equal(text("create user me identified by 'x'", rule), 'create user me identified by ?');
    // The dialects differ in what double quotes enclose: a name, unless it follows a word for a credential.
    for (const [given, expected] of [
      ['alter user "me" identified by "x"', 'alter user "me" identified by ?'],
      ['set password for me = "x"', 'set password for me = ?'],
      ['set password for me = password("x")', 'set password for me = password(?)'],
    ] as const)
      assert.equal(text(given, rule), expected);
    // A placeholder is not a value, even after a quoted name.
    for (const placeholder of ['?', '$1', '$12'])
      assert.equal(
        text(`select a from t where "password" = ${placeholder}`, rule),
        `select a from t where "password" = ${placeholder}`,
      );
    assert.match(text('select a from t where "password" = $1abc', rule), /\[redacted\]/);
    assert.equal(text("select api_key from t where b = 'x'", rule), 'select api_key from t where b = ?');
    assert.equal(
      text("select api_key from t where b = 'x'", { statements: 'whole' }),
      "select api_key from t where b = 'x'",
    );
  });

  it('does not include prose', () => {
    for (const prose of [
      "Could not select user 'bob' from the cache",
      `Unexpected token 'a', "abc" is not valid JSON`,
      "Please insert 'a coin'",
      "with 'x' as 'y' in 2026",
      "Update failed: 'title' is missing",
    ])
      assert.equal(text(prose), prose);
  });

  it('has no rows or keys from database errors', () => {
    assert.equal(text('Failing row contains (1, a@b, x).'), 'Failing row contains (?)');
    assert.equal(
      text('Key (password_hash)=(a) b) already exists.'),
      'Key (password_hash)=(?) already exists.',
    );
    assert.equal(text('Key (lower(token))=(a) already exists.'), 'Key (lower(token))=(?) already exists.');
    assert.equal(text('Key (email)=(a@b) already exists.'), 'Key (email)=(a@b) already exists.');
    assert.equal(text("Duplicate entry 'a'b' for key 't.token'"), "Duplicate entry '?' for key 't.token'");
    assert.equal(text("Duplicate entry 'ab' for key 't.email'"), "Duplicate entry 'ab' for key 't.email'");
    assert.equal(
      text("ERR unknown command 'SETT', with args beginning with: 'a' 'b'"),
      "ERR unknown command 'SETT', with args beginning with: ?",
    );
    assert.equal(
      text('Failed query: insert into t values ($1)\nparams: a,b'),
      'Failed query: insert into t values ($1)\nparams: ?',
    );
  });

  it('has no parameters next to a statement', () => {
    for (const name of ['params', 'parameters', 'bindings', 'values', 'args']) {
      assert.match(
        renderSnapshotText(dump({ sql: 'insert into t values (?)', [name]: ['c4n4ry'] })),
        /\[redacted\]/,
      );
      assert.match(renderSnapshotText(dump({ title: 'insert', [name]: ['kept'] })), /kept/);
    }
  });

  it('reveals no quoted value, whatever it contains', () => {
    const value = fc.stringMatching(/^[a-z '"\\()\n,;-]{0,30}$/);
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.boolean(), (values, backslashes) => {
        const list = values.map((one) => {
          const escaped = backslashes
            ? one.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
            : one.replaceAll("'", "''");
          return `'${escaped}C4N4RY'`;
        });
        const message = `insert into "t" ("a") values (${list.join(', ')}) - UNIQUE constraint failed: t.a`;
        assert.doesNotMatch(text(message), /C4N4RY/);
        const twice = text(text(message));
        assert.equal(twice, text(message));
      }),
    );
  });
});
