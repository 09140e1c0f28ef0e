import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/core';
import { LibSqlDriver } from '@mikro-orm/libsql';
import { type Behaviours, defineBehaviours } from '../declare/define-behaviours.js';
import { compilePlan, type EntityPlan } from './compile-plan.js';
import { withBehaviours, type BehaviourOptions } from '../with-behaviours.js';

const author = new EntitySchema<{ id: number; name: string }>({
  name: 'PlanAuthor',
  properties: { id: { type: 'integer', primary: true }, name: { type: 'string' } },
});

/** Returns the ORM with discovered entities, without a connection. */
async function discover(
  behaviours: Behaviours<Record<string, unknown>>,
  { isComposite, ...options }: BehaviourOptions & { readonly isComposite?: boolean } = {},
): Promise<MikroORM> {
  const article = new EntitySchema<Record<string, unknown>>({
    name: 'PlanArticle',
    properties: {
      id: { type: 'integer', primary: true },
      ...(isComposite === true ? { part: { type: 'integer', primary: true } } : {}),
      title: { type: 'string', length: 40 },
      text: { type: 'text' },
      count: { type: 'integer' },
      secret: { type: 'string', hidden: true },
      snapshot: { type: 'blob', nullable: true },
      slug: { type: 'string', length: 20 },
      changedAt: { type: 'datetime', nullable: true },
      author: { kind: 'm:1', entity: () => 'PlanAuthor', nullable: true },
    } as never, // properties on an entity whose fields only these tests know
  });
  defineBehaviours(article, behaviours);
  return MikroORM.init(
    withBehaviours(
      { driver: LibSqlDriver, dbName: ':memory:', connect: false, entities: [author, article] },
      options,
    ),
  );
}

async function planOf(behaviours: Behaviours<Record<string, unknown>>): Promise<EntityPlan> {
  const orm = await discover(behaviours);
  return compilePlan(orm.getMetadata().get('PlanArticle'), behaviours as never); // the rules fit any entity
}

describe('a behaviour declaration', () => {
  it('is completed from the entity', async () => {
    const plan = await planOf({
      translatable: { fields: ['title', 'slug'] },
      timestampable: { changedAt: { on: 'change', field: ['title', 'author'], to: 'x' } },
      loggable: true,
    });
    assert.deepEqual(
      [plan.name, [...plan.translated], plan.fallback],
      ['PlanArticle', ['title', 'slug'], true],
    );
    const [tracked] = plan.tracked;
    assert.deepEqual(tracked?.watched, ['title', 'author']);
    assert.deepEqual([tracked?.to, tracked?.nullable, tracked?.source], [['x'], true, 'time']);
    assert.deepEqual([...(plan.versioned ?? [])].toSorted(), ['author', 'count', 'slug', 'text', 'title']);
  });

  it('keeps exactly the named fields in versions', async () => {
    const { versioned } = await planOf({ loggable: { fields: ['count', 'secret'] } });
    assert.deepEqual([...(versioned ?? [])], ['count', 'secret']);
    assert.equal((await planOf({})).versioned, undefined);
  });

  it('that is invalid is refused with the reason', async () => {
    for (const [behaviours, code, message] of [
      [{ translatable: { fields: ['titel'] } }, 'PERSISTENCE_UNKNOWN_FIELD', /titel/],
      [{ translatable: { fields: ['__proto__'] } }, 'PERSISTENCE_UNKNOWN_FIELD', /__proto__/],
      [{ translatable: { fields: ['count'] } }, 'PERSISTENCE_FIELD_NOT_TEXT', /number/],
      [{ translatable: { fields: ['author'] } }, 'PERSISTENCE_FIELD_NOT_TEXT', /a relation/],
      [{ blameable: { author: 'create' } }, 'PERSISTENCE_RELATION_NEEDS_VALUE', /author/],
      [
        { timestampable: { changedAt: { on: 'change', field: 'author.name' } } },
        'PERSISTENCE_UNKNOWN_FIELD',
        /author\.name/,
      ],
      [{ loggable: { fields: ['gone'] } }, 'PERSISTENCE_UNKNOWN_FIELD', /gone/],
    ] as const)
      await assert.rejects(discover(behaviours), { code, message });
  });

  it('needs a single key if rows in other tables refer to the entity', async () => {
    for (const behaviours of [{ translatable: { fields: ['title'] } }, { loggable: true }] as const)
      await assert.rejects(discover(behaviours, { isComposite: true }), {
        code: 'PERSISTENCE_COMPOSITE_KEY',
      });
    await discover({ timestampable: { changedAt: 'update' } }, { isComposite: true });
  });
});
