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
  defineBehaviours(schema, behaviours as Behaviours<Thing>); // mistakes that the compiler would reject
  return MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [schema, owner] }));
}

describe('mistakes in declarations', () => {
  it('prevent startup with the mistake, its location and the fix', async () => {
    await assert.rejects(start({ timestampable: { mad: 'create' } }), {
      code: 'PERSISTENCE_UNKNOWN_FIELD',
      message: 'timestampable of Thing1 refers to the field "mad", which the entity does not have.',
      fix: 'Declare "mad" as a property of Thing1, or correct the name.',
    });
    for (const [behaviours, code, field, key = {}] of [
      [{ blameable: { name: { on: 'change', field: 'nam' } } }, 'PERSISTENCE_UNKNOWN_FIELD', 'nam'],
      [{ loggable: { fields: ['constructor'] } }, 'PERSISTENCE_UNKNOWN_FIELD', 'constructor'],
      [{ translatable: { fields: ['code'] } }, 'PERSISTENCE_FIELD_NOT_TEXT', 'code'],
      [{ translatable: { fields: ['owner'] } }, 'PERSISTENCE_FIELD_NOT_TEXT', 'owner'],
      [{ blameable: { owner: 'create' } }, 'PERSISTENCE_RELATION_NEEDS_VALUE', 'owner'],
      [{ loggable: true }, 'PERSISTENCE_COMPOSITE_KEY', '', { primary: true }],
    ] as const)
      await assert.rejects(start(behaviours, key), (error: Error & { code?: string; fix?: string }) => {
        assert.equal(error.code, code);
        assert.match(
          error.message,
          new RegExp(`\\bThing${count}\\b.*${field}|${field}.*\\bThing${count}\\b`),
        );
        assert.ok((error.fix ?? '').length > 10, error.fix);
        return true;
      });
  });

  it('are reported by the call that makes them', async () => {
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
