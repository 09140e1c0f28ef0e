import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, type EntityManager } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/libsql';
import { defineBehaviours } from '../declare/define-behaviours.js';
import { forkFor } from '../request-unit.js';
import { createTranslationSchema, readTranslations } from '../translate/translation-store.js';
import { createVersionSchema } from '../version/record-versions.js';
import { withBehaviours } from '../with-behaviours.js';
import { isTranslated, showIn, translatedOrder, translatedWhere, translationsOf } from './translations.js';
import { revertTo, versionsOf } from './versions.js';

/** An entity whose column names differ from its field names. */
class Sheet {
  key!: number;
  title!: string;
  pages!: number;
  parent?: Sheet | null;
}

const schema = new EntitySchema<Sheet>({
  class: Sheet,
  tableName: 'sheets',
  properties: {
    key: { type: 'integer', primary: true, fieldName: 'sheet_key' },
    title: { type: 'string', fieldName: 'title_text' },
    pages: { type: 'integer', fieldName: 'page_count' },
    parent: { kind: 'm:1', entity: () => Sheet, nullable: true },
  },
});
defineBehaviours(Sheet, { translatable: { fields: ['title'] }, loggable: { fields: ['title', 'pages'] } });

const ada = { identifier: 'ada' } as never; // an actor needs no more of its user here

describe('entity texts and versions', () => {
  let orm: MikroORM;
  before(async () => {
    orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [schema] }));
    await orm.schema.execute(await orm.schema.getCreateSchemaSQL());
  });
  after(() => orm.close(true));
  const inLocale = (locale: string): EntityManager =>
    forkFor(orm.em, { locale: () => locale, user: () => ada });
  const find = (em: EntityManager, key: number): Promise<Sheet> => em.findOneOrFail(Sheet, { key });
  const create = async (key: number, title: string, pages = 1): Promise<void> => {
    const em = inLocale('en');
    em.create(Sheet, { key, title, pages });
    await em.flush();
  };
  const translate = async (key: number, locale: string, title: string): Promise<void> => {
    const em = inLocale(locale);
    (await find(em, key)).title = title;
    await em.flush();
  };

  it("are compared and ordered in the reader's language, whatever the column names", async () => {
    await create(1, 'tree');
    await create(2, 'apple');
    await translate(1, 'fr', 'arbre');
    await translate(2, 'fr', 'pomme');
    await translate(2, 'fr-CA', 'zpomme');
    const keys = async (locale: string, title: string): Promise<number[]> => {
      const em = inLocale(locale);
      const where = translatedWhere(em, Sheet, {
        $or: [{ title }, { $not: { pages: 1 }, key: 99 }],
        key: { $lt: 10 },
      });
      const order = translatedOrder(em, Sheet, { title: 'asc' });
      return (await em.find(Sheet, where, { orderBy: order })).map((sheet) => sheet.key);
    };
    assert.deepEqual(await keys('fr', 'arbre'), [1]);
    assert.deepEqual(await keys('fr-CA', 'arbre'), [1], 'falls back from region to language');
    assert.deepEqual(await keys('fr-CA', 'pomme'), []);
    assert.deepEqual(await keys('de', 'tree'), [1], 'falls back to the row without a translation');
    assert.deepEqual(await keys('en', 'arbre'), []);
    const ordered = async (locale: string): Promise<number[]> => {
      const em = inLocale(locale);
      const options = { orderBy: translatedOrder(em, Sheet, { title: 'desc' }) };
      return (await em.find(Sheet, { key: { $lt: 10 } }, options)).map((sheet) => sheet.key);
    };
    assert.deepEqual([await ordered('en'), await ordered('fr-CA')], [[1, 2], [2, 1]]); // prettier-ignore
  });

  it('are stored for each language, and a fallback text is recognised as such', async () => {
    await create(11, 'own');
    await translate(11, 'fr', 'propre');
    const em = inLocale('fr-CA');
    const sheet = await find(em, 11);
    assert.deepEqual([sheet.title, isTranslated(em, sheet, 'title')], ['propre', true]);
    assert.deepEqual([...(await translationsOf(em, sheet))], [['en', { title: 'own' }], ['fr', { title: 'propre' }]]); // prettier-ignore
    await showIn(em, sheet, 'de');
    assert.deepEqual([sheet.title, isTranslated(em, sheet, 'title')], ['own', false]);
    await showIn(em, sheet, 'en');
    assert.deepEqual([sheet.title, isTranslated(em, sheet, 'title')], ['own', true]);
  });

  it('are listed newest first, at most a hundred, optionally older than a version or in one language', async () => {
    await create(21, 'a', 0);
    const em = inLocale('en');
    const sheet = await find(em, 21);
    for (let pages = 1; pages <= 104; pages++) {
      sheet.pages = pages;
      await em.flush();
    }
    await translate(21, 'fr', 'b');
    const versions = async (options: Parameters<typeof versionsOf>[2]): Promise<number[]> =>
      (await versionsOf(em, sheet, options)).map(({ version }) => version);
    const all = await versions({});
    assert.deepEqual([all.length, all[0], all.at(-1)], [100, 106, 7]);
    assert.deepEqual(await versions({ limit: 2 }), [106, 105]);
    assert.deepEqual(await versions({ before: 3 }), [2, 1]);
    assert.deepEqual(await versions({ locale: 'fr' }), [106]);
    const [last] = await versionsOf(em, sheet, { limit: 1 });
    assert.deepEqual(
      [last?.action, last?.locale, last?.user, last?.changes],
      ['update', 'fr', 'ada', { title: 'b' }],
    );
    assert.ok(last?.at instanceof Date && Math.abs(Date.now() - Number(last.at)) < 60_000);
    await revertTo(em, sheet, 1);
    assert.deepEqual([sheet.pages, sheet.title], [0, 'a'], 'across a hundred versions');
    await revertTo(em, sheet, 50);
    assert.equal(sheet.pages, 49);
    for (const version of [0, 107])
      await assert.rejects(revertTo(em, sheet, version), { code: 'PERSISTENCE_NO_VERSION' });
  });

  it('are reverted only in the language shown, and ignore fields that no longer exist', async () => {
    await create(31, 'a', 1);
    await translate(31, 'fr', 'b');
    await translate(31, 'fr', 'c');
    const em = inLocale('fr');
    const sheet = await find(em, 31);
    await em
      .getConnection()
      .execute(`update ext_versions set data = json_set(data, '$.gone', 1) where object_id = '31'`);
    await revertTo(em, sheet, 2);
    assert.deepEqual([sheet.title, sheet.pages, Reflect.has(sheet, 'gone')], ['b', 1, false]);
    await em.flush();
    assert.equal((await find(inLocale('en'), 31)).title, 'a');
    assert.equal((await find(inLocale('fr'), 31)).title, 'b');
  });

  it('of a removed entity include the removal, which cannot be reverted to', async () => {
    await create(41, 'a', 1);
    await translate(41, 'fr', 'b');
    const em = inLocale('en');
    const sheet = await find(em, 41);
    await em.remove(sheet).flush();
    await create(41, 'again', 2);
    const later = inLocale('en');
    const again = await find(later, 41);
    const actions = (await versionsOf(later, again)).map(({ version, action }) => `${version} ${action}`);
    assert.deepEqual(actions, ['4 create', '3 remove', '2 update', '1 create']);
    await assert.rejects(revertTo(later, again, 3), { code: 'PERSISTENCE_NO_VERSION' });
    assert.deepEqual(
      [...(await translationsOf(later, again)).keys()],
      ['en'],
      'translations are removed with the entity',
    );
  });
});

describe("many entities' texts", () => {
  it('are read by 500 keys per query, in the open transaction', async () => {
    const seen: unknown[] = [];
    const fake = (ctx: unknown): EntityManager =>
      ({
        getTransactionContext: () => ctx,
        getDriver: () => ({
          async find(_name: string, where: { objectId: { $in: string[] } }, options: object) {
            const { objectId, ...rest } = where;
            seen.push([objectId.$in.length, objectId.$in[0], rest, options]);
            return [{ objectId: objectId.$in[0] }];
          },
        }),
      }) as unknown as EntityManager; // only these methods are used
    const keys = Array.from({ length: 1001 }, (_, at) => String(at));
    const rows = await readTranslations(fake(undefined), 'Sheet', keys, ['fr']);
    const where = { entity: 'Sheet', locale: { $in: ['fr'] } };
    assert.deepEqual(seen.splice(0), [[500, '0', where, {}], [500, '500', where, {}], [1, '1000', where, {}]]); // prettier-ignore
    assert.deepEqual(
      rows.map(({ objectId }) => objectId),
      ['0', '500', '1000'],
    );
    await readTranslations(fake('open'), 'Sheet', ['7']);
    assert.deepEqual(seen.splice(0), [[1, '7', { entity: 'Sheet' }, { ctx: 'open' }]]);
    assert.deepEqual(await readTranslations(fake(undefined), 'Sheet', []), []);
    assert.deepEqual(seen, []);
  });
});

describe('translation and version tables', () => {
  /** Columns in order, with their types and lengths. */
  const columnsOf = (of: EntitySchema): string[] =>
    Object.entries(
      of.meta.properties as Record<string, { type: string; length?: number; fieldName?: string }>,
    ).map(
      // as: the inspected parts
      ([name, { type, length, fieldName = name }]) =>
        `${fieldName} ${type}${length === undefined ? '' : ` ${length}`}`,
    );

  it('do not change: other lengths would require a migration of every application', () => {
    assert.deepEqual(columnsOf(createTranslationSchema() as EntitySchema), [
      'entity string 150',
      'objectId string 150',
      'locale string 35',
      'field string 100',
      'value text',
    ]);
    assert.deepEqual(columnsOf(createVersionSchema() as EntitySchema), [
      'id integer',
      'entity string 150',
      'objectId string 150',
      'version integer',
      'action string 10',
      'locale string 35',
      'username string 255',
      'logged_at datetime 6',
      'data json',
    ]);
  });
});
