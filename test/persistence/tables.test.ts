import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema, Utils } from '@mikro-orm/core';
import { defineConfig, MikroORM } from '@mikro-orm/libsql';
import { withBehaviours } from '#framework/persistence';
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
