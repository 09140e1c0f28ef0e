import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import {
  type Behaviours,
  defineBehaviours,
  forkFor,
  revertTo,
  showIn,
  versionsOf,
  withBehaviours,
} from 'lookback/persistence';

interface Thing {
  id: number;
  code: number;
  name: string;
  owner: object;
}

let count = 0;

async function start(behaviours: object, key: object = {}): Promise<MikroORM> {
  const owner = new EntitySchema<{ id: number }>({
    name: `Owner${++count}`,
    properties: { id: { type: 'integer', primary: true } },
  });
  const schema = new EntitySchema<Thing>({
    name: `Thing${count}`,
    properties: {
      id: { type: 'integer', primary: true },
      code: { type: 'integer', ...key },
      name: { type: 'string' },
      owner: { kind: 'm:1', entity: (): never => owner as never, nullable: true }, // any entity
    },
  });
  defineBehaviours(schema, behaviours as Behaviours<Thing>); // the mistakes that the compiler would refuse
  return MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [schema, owner] }));
}

describe('mistakes in declarations', () => {
  it('stop the start with what, where and the fix', async () => {
    await assert.rejects(start({ timestampable: { mad: 'create' } }), {
      code: 'PERSISTENCE_UNKNOWN_FIELD',
      message: 'timestampable of Thing1 refers to the field "mad", which the entity does not have.',
      fix: 'Declare "mad" as a property of Thing1, or correct the name.',
    });
    await assert.rejects(start({ blameable: { name: { on: 'change', field: 'nam' } } }), {
      code: 'PERSISTENCE_UNKNOWN_FIELD',
    });
    await assert.rejects(start({ loggable: { fields: ['constructor'] } }), {
      code: 'PERSISTENCE_UNKNOWN_FIELD',
    });
    await assert.rejects(start({ translatable: { fields: ['code'] } }), {
      code: 'PERSISTENCE_FIELD_NOT_TEXT',
    });
    await assert.rejects(start({ translatable: { fields: ['owner'] } }), {
      code: 'PERSISTENCE_FIELD_NOT_TEXT',
    });
    await assert.rejects(start({ blameable: { owner: 'create' } }), {
      code: 'PERSISTENCE_RELATION_NEEDS_VALUE',
    });
    await assert.rejects(start({ loggable: true }, { primary: true }), { code: 'PERSISTENCE_COMPOSITE_KEY' });
  });

  it('are reported at the call that is wrong', async () => {
    const orm = await start({ translatable: { fields: ['name'] } });
    const em = forkFor(orm.em, { locale: () => 'not a locale' });
    const thing = em.create(`Thing${count}`, { id: 1, code: 1, name: 'x' });
    await assert.rejects(showIn(em, thing, 'fr'), { code: 'PERSISTENCE_BAD_LOCALE' });
    await assert.rejects(versionsOf(em, thing), { code: 'PERSISTENCE_NOT_DECLARED' });
    await orm.close(true);
    const plain = await MikroORM.init({
      dbName: ':memory:',
      entities: [
        new EntitySchema<{ id: number }>({
          name: 'Plain',
          properties: { id: { type: 'integer', primary: true } },
        }),
      ],
    });
    await assert.rejects(revertTo(plain.em.fork(), {}, 1), { code: 'PERSISTENCE_NOT_ENABLED' });
    await plain.close(true);
  });
});
