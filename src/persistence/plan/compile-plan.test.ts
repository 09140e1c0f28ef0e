import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/core';
import { LibSqlDriver } from '@mikro-orm/libsql';
import type { Behaviours } from '../declare/behaviours.js';
import { defineBehaviours } from '../declare/define-behaviours.js';
import { Bypasses } from '../hooks/bypasses.js';
import { withBehaviours, type BehaviourOptions } from '../with-behaviours.js';
import { compilePlan } from './compile-plan.js';
import type { EntityPlan } from './entity-plan.js';

const author = new EntitySchema<{ id: number; name: string }>({
  name: 'PlanAuthor',
  properties: { id: { type: 'integer', primary: true }, name: { type: 'string' } },
});

/** The ORM with its entities found, without a connection. */
async function discover(
  behaviours: Behaviours<Record<string, unknown>>,
  options: BehaviourOptions & { readonly isComposite?: boolean } = {},
): Promise<MikroORM> {
  const article = new EntitySchema<Record<string, unknown>>({
    name: 'PlanArticle',
    properties: {
      id: { type: 'integer', primary: true },
      ...(options.isComposite === true ? { part: { type: 'integer', primary: true } } : {}),
      title: { type: 'string', length: 40 },
      text: { type: 'text' },
      count: { type: 'integer' },
      secret: { type: 'string', hidden: true },
      picture: { type: 'blob', nullable: true },
      slug: { type: 'string', length: 20 },
      changedAt: { type: 'datetime', nullable: true },
      removedAt: { type: 'datetime', nullable: true },
      author: { kind: 'm:1', entity: () => 'PlanAuthor', nullable: true },
    } as never, // properties of an entity whose fields only these tests name
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
  return compilePlan(orm.getMetadata().get('PlanArticle'), behaviours as never); // of any entity
}

describe('a declaration of behaviours', () => {
  it('is filled in from the entity', async () => {
    const plan = await planOf({
      translatable: { fields: ['title', 'slug'] },
      timestampable: { changedAt: { on: 'change', field: ['title', 'author.name'], to: 'x' } },
      loggable: true,
      softDeleteable: { field: 'removedAt' },
      sluggable: { slug: { from: ['title'], prefix: 'a-' } },
    });
    assert.deepEqual(
      [plan.name, [...plan.translated], plan.fallback],
      ['PlanArticle', ['title', 'slug'], true],
    );
    const [tracked] = plan.tracked;
    assert.deepEqual(
      [tracked?.watched, tracked?.watchedRelated],
      [['title'], [{ relation: 'author', field: 'name' }]],
    );
    assert.deepEqual([tracked?.to, tracked?.nullable, tracked?.source], [['x'], true, 'time']);
    assert.deepEqual(plan.softDelete, { field: 'removedAt', timeAware: false, hardDelete: true });
    assert.deepEqual([...(plan.versioned ?? [])].toSorted(), ['author', 'count', 'slug', 'text', 'title']);
    const [slug] = plan.slugs;
    assert.deepEqual([slug?.maxLength, slug?.translated, slug?.prefix], [20, true, 'a-']);
  });

  it('keeps the fields that it names in versions, and no others', async () => {
    const { versioned } = await planOf({ loggable: { fields: ['count', 'secret'] } });
    assert.deepEqual([...(versioned ?? [])], ['count', 'secret']);
    assert.equal((await planOf({})).versioned, undefined);
  });

  it('that cannot hold is refused with what is wrong', async () => {
    for (const [behaviours, code, message] of [
      [{ translatable: { fields: ['titel'] } }, 'PERSISTENCE_UNKNOWN_FIELD', /titel/],
      [{ translatable: { fields: ['__proto__'] } }, 'PERSISTENCE_UNKNOWN_FIELD', /__proto__/],
      [{ translatable: { fields: ['count'] } }, 'PERSISTENCE_FIELD_NOT_TEXT', /number/],
      [{ translatable: { fields: ['author'] } }, 'PERSISTENCE_FIELD_NOT_TEXT', /a relation/],
      [{ blameable: { author: 'create' } }, 'PERSISTENCE_RELATION_NEEDS_VALUE', /author/],
      [
        { timestampable: { changedAt: { on: 'change', field: 'author.age' } } },
        'PERSISTENCE_UNKNOWN_FIELD',
        /age/,
      ],
      [{ sluggable: { slug: { from: ['title', 'gone'] } } }, 'PERSISTENCE_UNKNOWN_FIELD', /gone/],
      [{ sluggable: { slug: { from: [], uniqueWithin: ['gone'] } } }, 'PERSISTENCE_UNKNOWN_FIELD', /gone/],
      [{ softDeleteable: { field: 'gone' } }, 'PERSISTENCE_UNKNOWN_FIELD', /gone/],
      [{ loggable: { fields: ['gone'] } }, 'PERSISTENCE_UNKNOWN_FIELD', /gone/],
    ] as const)
      await assert.rejects(discover(behaviours), { code, message });
  });

  it('needs one key, where rows of other tables name the entity', async () => {
    for (const behaviours of [
      { translatable: { fields: ['title'] } },
      { loggable: true },
      { sluggable: { slug: { from: ['title'] } } },
    ] as const)
      await assert.rejects(discover(behaviours, { isComposite: true }), {
        code: 'PERSISTENCE_COMPOSITE_KEY',
      });
    await discover({ softDeleteable: { field: 'removedAt' } }, { isComposite: true });
  });

  it('has its tables under the names that were chosen', async () => {
    const orm = await discover({}, { translationTable: 'texts', versionTable: 'history' });
    const tables = Object.values(orm.getMetadata().getAll()).map(({ tableName }) => tableName);
    assert.ok(tables.includes('texts') && tables.includes('history'));
    const usual = Object.values((await discover({})).getMetadata().getAll()).map(
      ({ tableName }) => tableName,
    );
    assert.ok(usual.includes('ext_translations') && usual.includes('ext_versions'));
  });
});

describe('statements that pass behaviours by', () => {
  const behaviours = {
    timestampable: { changedAt: 'create' },
    softDeleteable: { field: 'removedAt' },
    loggable: { fields: ['title'] },
  } as const;

  it('are refused, or reported once for each call and entity', async () => {
    const plan = await planOf(behaviours);
    const warned: string[] = [];
    const log = (): never => ({ channel: () => ({ warning: (text: string) => warned.push(text) }) }) as never; // all that is called
    const bypasses = new Bypasses('warn');
    bypasses.log = log;
    for (const call of ['insert', 'insert', 'upsert']) bypasses.note(plan, call, 'create');
    bypasses.note(plan, 'nativeUpdate', 'update');
    assert.equal(warned.length, 3);
    assert.match(warned[0] ?? '', /insert writes rows of PlanArticle .* timestampable, loggable\./);
    assert.match(warned[2] ?? '', /: loggable\./, 'a time of creation has nothing to do with an update');
    assert.throws(() => new Bypasses('refuse').note(plan, 'nativeDelete', 'remove'), {
      code: 'PERSISTENCE_BYPASSED',
      message: /loggable, softDeleteable/,
    });
    new Bypasses('allow').note(plan, 'nativeDelete', 'remove');
  });

  it('are none of an entity whose behaviours they would not have called', async () => {
    const plan = await planOf({ timestampable: { changedAt: 'create' } });
    new Bypasses('refuse').note(plan, 'nativeUpdate', 'update');
    new Bypasses('refuse').note(plan, 'nativeDelete', 'remove');
  });
});
