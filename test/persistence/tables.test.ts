import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema, Utils } from '@mikro-orm/core';
import { defineConfig, MikroORM } from '@mikro-orm/libsql';
import { withBehaviours } from '#framework/persistence';
import { createSqliteExpiringStore } from '#framework/security';
import { journalEntities } from './journal-entities.js';

const PotSchema = new EntitySchema<{ id: number; name: string }>({
  name: 'Pot',
  properties: { id: { type: 'number', primary: true }, name: { type: 'string' } },
});

/** The tables that a migration creates for these entities, after MikroORM's command has copied the configuration. */
async function tablesOf(entities: EntitySchema[]): Promise<string[]> {
  const given = withBehaviours(defineConfig({ dbName: ':memory:', entities }));
  const orm = await MikroORM.init(Utils.mergeConfig({}, given));
  const sql = await orm.schema.getCreateSchemaSQL();
  await orm.close();
  return [...sql.matchAll(/create table `(\w+)`/g)].map(([, name = '']) => name).sort();
}

describe('behaviour tables', () => {
  it('are not created if no entity has translations or versions', async () => {
    assert.deepEqual(await tablesOf([PotSchema]), ['pot']);
  });

  it('are created if an entity has', async () => {
    const tables = await tablesOf(journalEntities);
    assert.deepEqual(
      tables.filter((name) => name.startsWith('ext_')),
      ['ext_translations', 'ext_versions'],
    );
  });
});

describe('the schema diff', () => {
  it('keeps the table of sessions, and the tables that the application skips', async () => {
    const given = withBehaviours(
      defineConfig({
        dbName: ':memory:',
        entities: [PotSchema],
        schemaGenerator: { skipTables: ['kept'] },
      }),
    );
    const orm = await MikroORM.init(given);
    try {
      await orm.schema.execute(await orm.schema.getUpdateSchemaSQL());
      const connection = orm.em.getConnection();
      const created: string[] = [];
      createSqliteExpiringStore({
        exec: (sql) => void created.push(sql),
        prepare: () => assert.fail('nothing is stored'),
      });
      for (const sql of [...created, 'create table kept (id integer)', 'create table left_over (id integer)'])
        await connection.execute(sql);
      const changes = await orm.schema.getUpdateSchemaSQL();
      assert.match(changes, /drop table if exists `left_over`/);
      assert.doesNotMatch(changes, /lookback_expiring|kept/);
    } finally {
      await orm.close();
    }
  });
});
