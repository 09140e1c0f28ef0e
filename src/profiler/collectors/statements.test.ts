import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, type Redactor } from '#dump';
import { Statements } from './statements.js';

const redactor = createRedactor();

/** How often a statement that is taken twice is looked into: once where it was remembered. */
function looksAt(sql: string): number {
  let looks = 0;
  const text: Redactor['text'] = (given, options) => {
    looks++;
    return redactor.text(given, options);
  };
  const statements = new Statements({ ...redactor, text });
  for (let time = 0; time < 2; time++) statements.take(sql);
  return looks;
}

describe('statements', () => {
  it('are remembered where all their values are placeholders', () => {
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

  it('are not remembered where a value of a request may stand in them', () => {
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

  it('are not remembered with any text in single quotes or any number', () => {
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
