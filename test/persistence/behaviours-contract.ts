import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MikroORM, raw } from '@mikro-orm/core';
import {
  localeOf,
  revertTo,
  showIn,
  translatedOrder,
  translatedWhere,
  isTranslated,
  translationsOf,
  versionsOf,
} from '#framework/persistence';
import { Article, Category, Comment, Page, journalEntities } from './journal-entities.js';
import { edgesContract } from './edges-contract.js';
import { asRequest, translate } from './test-database.js';
import type { TestDatabase } from './test-database.js';

const at = (time: string): Date => new Date(`2026-01-01T${time}.000Z`);

/** The name of the entity passed to a driver: MikroORM 6 passes the name, MikroORM 7 mostly the class. */
function nameOf(entity: string | { readonly name: string }): string {
  return typeof entity === 'string' ? entity : entity.name;
}

/** The contract of every behaviour, with any database. */
export function behavioursContract(name: string, start: () => Promise<TestDatabase>): void {
  describe(`behaviours on ${name}`, () => {
    let database: TestDatabase;
    let orm: MikroORM;
    before(async () => {
      database = await start();
      orm = await database.open(journalEntities);
    });
    after(() => database.close());

    const write = (title: string, facts: Parameters<typeof asRequest>[1] = {}): Promise<number> =>
      asRequest(orm, facts, async (em) => {
        const article = em.create(Article, { title, body: `${title}!` });
        await em.persist(article).flush();
        return article.id;
      });
    const edit = (
      id: number,
      facts: Parameters<typeof asRequest>[1],
      changes: Partial<Article>,
    ): Promise<void> =>
      asRequest(orm, facts, async (em) => {
        em.assign(await em.findOneOrFail(Article, id), changes as object);
        await em.flush();
      });
    const read = (id: number, locale?: string): Promise<Article> =>
      asRequest(orm, locale === undefined ? {} : { locale }, (em) => em.findOneOrFail(Article, id));

    describe('timestampable, blameable', () => {
      it('create and update fill fields; an unknown user clears the field that would claim an update', async () => {
        const id = await write('Stamps', { user: 'ada', now: at('10:00:00') });
        const made = await read(id);
        assert.deepEqual([made.createdAt, made.updatedAt], [at('10:00:00'), at('10:00:00')]);
        assert.deepEqual([made.createdBy, made.updatedBy], ['ada', 'ada']);
        await edit(id, { user: 'bob', now: at('11:00:00') }, { body: 'new' });
        const changed = await read(id);
        assert.deepEqual([changed.createdAt, changed.updatedAt], [at('10:00:00'), at('11:00:00')]);
        assert.deepEqual([changed.createdBy, changed.updatedBy], ['ada', 'bob']);
        await edit(id, { now: at('12:00:00') }, { body: 'by nobody' });
        assert.equal((await read(id)).updatedBy, null);
      });

      it('a value set by hand takes precedence, on create and on update', async () => {
        const id = await asRequest(orm, { user: 'ada', now: at('10:00:00') }, async (em) => {
          const article = em.create(Article, {
            title: 'By hand',
            body: '',
            createdBy: 'import',
            createdAt: at('01:00:00'),
          });
          await em.persist(article).flush();
          return article.id;
        });
        assert.deepEqual(
          [(await read(id)).createdBy, (await read(id)).createdAt],
          ['import', at('01:00:00')],
        );
        await edit(id, { user: 'bob' }, { body: 'x', updatedBy: 'robot' });
        assert.equal((await read(id)).updatedBy, 'robot');
      });

      it('change fires only for the watched value, also on creation', async () => {
        const id = await write('Watched', { now: at('10:00:00') });
        await edit(id, { now: at('11:00:00') }, { status: 'review' });
        assert.equal((await read(id)).publishedAt, null);
        await edit(id, { now: at('12:00:00') }, { status: 'published' });
        await edit(id, { now: at('13:00:00') }, { body: 'later' });
        assert.deepEqual((await read(id)).publishedAt, at('12:00:00'));
        const born = await asRequest(orm, { now: at('09:00:00') }, async (em) => {
          const article = em.create(Article, { title: 'Born published', body: '', status: 'published' });
          await em.persist(article).flush();
          return article.id;
        });
        assert.deepEqual((await read(born)).publishedAt, at('09:00:00'));
      });

      it('a flush without changes writes nothing', async () => {
        const id = await write('Calm', { now: at('10:00:00') });
        await edit(id, { locale: 'fr', now: at('10:30:00') }, { title: 'Calme' });
        for (const locale of ['en', 'fr']) {
          await asRequest(orm, { now: at('11:00:00'), locale }, async (em) => {
            await em.findOneOrFail(Article, id);
            await em.flush();
          });
        }
        assert.deepEqual((await read(id)).updatedAt, at('10:30:00'));
      });
    });

    describe('translatable', () => {
      it('keeps the default language in the row and shows it if a translation is missing', async () => {
        const id = await write('Hello');
        await edit(id, { locale: 'fr' }, { title: 'Bonjour' });
        assert.equal((await read(id)).title, 'Hello');
        assert.equal((await read(id, 'fr')).title, 'Bonjour');
        assert.equal((await read(id, 'fr')).body, 'Hello!');
        assert.equal((await read(id, 'fr-CA')).title, 'Bonjour');
        assert.equal((await read(id, 'de')).title, 'Hello');
      });

      it("two windows edit two languages at once, and neither undoes the other's edit", async () => {
        const id = await write('Window');
        await asRequest(orm, { locale: 'fr' }, async (french) => {
          const fenetre = await french.findOneOrFail(Article, id);
          await edit(id, { locale: 'en' }, { title: 'Windows' });
          await edit(id, { locale: 'de' }, { title: 'Fenster' });
          fenetre.title = 'Fenêtre';
          await french.flush();
        });
        assert.deepEqual(
          await Promise.all(['en', 'fr', 'de'].map(async (locale) => (await read(id, locale)).title)),
          ['Windows', 'Fenêtre', 'Fenster'],
        );
      });

      it('finding, refreshing and flushing again keep language and texts', async () => {
        const id = await write('Again');
        await edit(id, { locale: 'fr' }, { title: 'Encore' });
        await asRequest(orm, { locale: 'fr' }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          await em.find(Article, { id });
          assert.equal(article.title, 'Encore');
          article.body = 'Corps';
          await em.flush();
          await em.find(Article, { id });
          assert.deepEqual([article.title, article.body], ['Encore', 'Corps']);
          article.title = 'Again'; // changing the row text changes the shown text
          await em.flush();
          await em.refresh(article);
          assert.equal(article.title, 'Again');
        });
        assert.deepEqual([(await read(id, 'fr')).title, (await read(id)).body], ['Again', 'Again!']);
        assert.equal((await translations(id)).get('fr')?.title, 'Again');
      });

      it('shows the new text of the row after its translation was removed elsewhere and it was read again', async () => {
        const id = await write('Old');
        await edit(id, { locale: 'fr' }, { title: 'Vieux' });
        await asRequest(orm, { locale: 'fr' }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          await asRequest(orm, { locale: 'fr' }, async (other) => {
            const same = await other.findOneOrFail(Article, id);
            Reflect.set(same, 'title', null);
            await other.flush();
          });
          await edit(id, { locale: 'en' }, { title: 'New' });
          await em.find(Article, { id }, { refresh: true });
          assert.equal(article.title, 'New');
          const texts = Object.fromEntries(await translationsOf(em, article));
          assert.deepEqual(texts, { en: { title: 'New', body: 'Old!' } });
          article.body = 'Corps';
          await em.flush();
        });
        assert.equal((await read(id)).title, 'New');
      });

      it('keeps the text of the row while a translation is shown over it', async () => {
        const id = await write('Own');
        await asRequest(orm, { locale: 'fr' }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          for (const title of ['Propre', 'À soi']) {
            article.title = title;
            await em.flush();
            const texts = Object.fromEntries(await translationsOf(em, article));
            assert.deepEqual(texts, { en: { title: 'Own', body: 'Own!' }, fr: { title } });
          }
          await translate(em, article, { en: { title: 'Owned' } });
          article.title = 'Possédé';
          await em.flush();
          article.title = 'Tenu';
          await em.flush();
          assert.equal((await translationsOf(em, article)).get('en')?.title, 'Owned');
        });
      });

      it('reports whether a field is in the shown language, or is a fallback', async () => {
        const id = await write('Partly');
        const isIn = (locale: string): Promise<boolean[]> =>
          asRequest(orm, { locale }, async (em) => {
            const article = await em.findOneOrFail(Article, id);
            return [isTranslated(em, article, 'title'), isTranslated(em, article, 'body')];
          });
        assert.deepEqual(
          [await isIn('en'), await isIn('fr')],
          [
            [true, true],
            [false, false],
          ],
        );
        await edit(id, { locale: 'fr' }, { title: 'En partie' });
        assert.deepEqual(
          [await isIn('fr'), await isIn('fr-CA'), await isIn('de')],
          [
            [true, false],
            [true, false],
            [false, false],
          ],
        );
      });

      it('null removes a translation; an entity created in another language has its text as fallback in the row', async () => {
        const id = await write('Nur deutsch', { locale: 'de' });
        assert.deepEqual(
          [(await read(id)).title, (await read(id, 'fr')).title],
          ['Nur deutsch', 'Nur deutsch'],
        );
        await edit(id, {}, { title: 'German only' });
        assert.equal((await read(id, 'de')).title, 'Nur deutsch');
        await asRequest(orm, { locale: 'de' }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          Reflect.set(article, 'title', null);
          await em.flush();
        });
        assert.equal((await read(id, 'de')).title, 'German only');
      });

      it('shows an entity in another language, but not over unsaved edits', async () => {
        const id = await write('Switch');
        await edit(id, { locale: 'fr' }, { title: 'Change' });
        await asRequest(orm, {}, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          await showIn(em, article, 'fr');
          assert.deepEqual([article.title, localeOf(em, article)], ['Change', 'fr']);
          article.title = 'Changement';
          await assert.rejects(showIn(em, article, 'en'), { code: 'PERSISTENCE_UNSAVED_TRANSLATION' });
          await em.flush();
          await showIn(em, article, 'en');
          assert.equal(article.title, 'Switch');
        });
        assert.deepEqual([(await read(id)).title, (await read(id, 'fr')).title], ['Switch', 'Changement']);
      });

      it('queries in the current language, with the same fallback, also through relations', async () => {
        const id = await write('Zebra query');
        const other = await write('Apple query');
        await edit(id, { locale: 'fr' }, { title: 'Âne query' });
        await asRequest(orm, {}, async (em) => {
          em.create(Comment, { text: 'on it', article: em.getReference(Article, id) });
          await em.flush();
        });
        await asRequest(orm, { locale: 'fr' }, async (em) => {
          const found = await em.find(
            Article,
            translatedWhere(em, Article, { title: { $in: ['Âne query', 'Apple query'] } }),
            {
              orderBy: translatedOrder(em, Article, { title: 'desc' }),
            },
          );
          assert.deepEqual(
            found.map((article) => article.id),
            [id, other],
          );
          const comments = await em.find(
            Comment,
            translatedWhere(em, Comment, { $or: [{ article: { title: 'Âne query' } }] }),
          );
          assert.equal(comments.length, 1);
          const countWith = (status: string): Promise<number> => {
            const raws = { [raw((alias) => `upper(${alias}.status)`)]: status } as object; // a condition on any column
            return em.count(Article, translatedWhere(em, Article, { ...raws, title: 'Âne query' }));
          };
          assert.deepEqual([await countWith('DRAFT'), await countWith('REVIEW')], [1, 0], 'raw fragments');
          assert.equal(await em.count(Article, translatedWhere(em, Article, { title: 'Zebra query' })), 0);
        });
        await asRequest(orm, {}, async (em) => {
          assert.equal(await em.count(Article, translatedWhere(em, Article, { title: 'Zebra query' })), 1);
        });
      });

      it('reads the translations of a whole list with one query', async () => {
        for (const title of ['List a', 'List b', 'List c'])
          await edit(await write(title), { locale: 'fr' }, { title: `${title} fr` });
        const queries: string[] = [];
        await asRequest(orm, { locale: 'fr' }, async (em) => {
          const driver = em.getDriver();
          const find = driver.find.bind(driver);
          driver.find = ((entity: string, ...rest: [never]) => {
            queries.push(nameOf(entity));
            return find(entity, ...rest);
          }) as typeof driver.find; // the same signature
          try {
            const list = await em.find(Article, { title: { $like: 'List %' } }, { orderBy: { id: 'asc' } });
            assert.deepEqual(
              list.map(({ title }) => title),
              ['List a fr', 'List b fr', 'List c fr'],
            );
          } finally {
            driver.find = find;
          }
        });
        assert.deepEqual(queries, ['Article', 'StoredTranslation']);
      });
    });

    const translations = (id: number): Promise<Map<string, Record<string, string | null>>> =>
      asRequest(orm, {}, async (em) => translationsOf(em, await em.findOneOrFail(Article, id)));

    describe('loggable', () => {
      it('keeps changes with user and time, and reverts', async () => {
        const id = await write('First', { user: 'ada', now: at('10:00:00') });
        await edit(id, { user: 'bob', now: at('11:00:00') }, { title: 'Second', status: 'review' });
        await edit(id, { user: 'cyd', locale: 'fr', now: at('12:00:00') }, { title: 'Deuxième' });
        await edit(id, { user: 'cyd', now: at('12:30:00') }, { publishedAt: at('00:00:00') });
        await asRequest(orm, { user: 'dan', now: at('13:00:00') }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          assert.deepEqual(
            await versionsOf(em, article),
            [
              {
                version: 3,
                action: 'update',
                locale: 'fr',
                user: 'cyd',
                at: at('12:00:00'),
                changes: { title: 'Deuxième' },
              },
              {
                version: 2,
                action: 'update',
                locale: 'en',
                user: 'bob',
                at: at('11:00:00'),
                changes: { title: 'Second', status: 'review' },
              },
              {
                version: 1,
                action: 'create',
                locale: 'en',
                user: 'ada',
                at: at('10:00:00'),
                changes: { title: 'First', body: 'First!', status: 'draft' },
              },
            ].map((version) => ({ ...version })),
          );
          assert.equal((await versionsOf(em, article, { limit: 1, before: 3 }))[0]?.version, 2);
          await revertTo(em, article, 1);
          assert.deepEqual([article.title, article.status], ['First', 'draft']);
          await em.flush();
          await assert.rejects(revertTo(em, article, 99), { code: 'PERSISTENCE_NO_VERSION' });
        });
        assert.deepEqual([(await read(id)).title, (await read(id, 'fr')).title], ['First', 'Deuxième']);
      });

      it('reverts in the shown language, including relations and dates', async () => {
        const id = await write('Revert me');
        const category = await asRequest(orm, {}, async (em) => {
          const one = em.create(Category, { name: 'Kept' });
          await em.persist(one).flush();
          await em.flush();
          return one.id;
        });
        await asRequest(orm, { locale: 'fr' }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          article.category = em.getReference(Category, category);
          article.title = 'Un';
          await em.flush();
          article.category = null;
          article.title = 'Deux';
          await em.flush();
          await revertTo(em, article, 2);
          await em.flush();
          assert.equal(article.title, 'Un');
        });
        assert.equal((await read(id, 'fr')).title, 'Un');
        assert.equal((await read(id)).category?.id, category);
      });

      it('continues counting after a removal', async () => {
        const id = await write('Removed', { user: 'ada' });
        await asRequest(orm, { user: 'bob' }, async (em) => {
          const article = await em.findOneOrFail(Article, id);
          await em.remove(article).flush();
          assert.deepEqual(
            (await versionsOf(em, article)).map(({ version, action, user }) => [version, action, user]),
            [
              [2, 'remove', 'bob'],
              [1, 'create', 'ada'],
            ],
          );
        });
      });
    });

    it('decorators: texts, authors and times are as the fields declare', async () => {
      const id = await asRequest(orm, { now: at('10:00:00') }, async (em) => {
        const page = em.create(Page, { title: 'House', section: 'homes', slug: 'house' });
        await translate(em, page, { fr: { title: 'Maison', slug: 'maison' } });
        assert.deepEqual(page.madeAt, at('10:00:00'));
        return page.id;
      });
      await asRequest(orm, { locale: 'fr', user: 'ada' }, async (em) => {
        const page = await em.findOneOrFail(Page, translatedWhere(em, Page, { slug: 'maison' }));
        assert.deepEqual([page.id, page.title, page.section], [id, 'Maison', 'homes']);
        page.slug = 'chez-soi';
        await em.flush();
        assert.equal(page.editor, 'ADA');
      });
      await asRequest(orm, {}, async (em) => assert.equal((await em.findOneOrFail(Page, id)).slug, 'house'));
    });

    describe('together', () => edgesContract(() => orm));

    it('K6: interleaved requests never see each other’s language, user or unit of work', async () => {
      const shared = await write('Shared');
      const locales = ['en', 'fr', 'de', 'it', 'es', 'pt'];
      const seen = await Promise.all(
        locales.map((locale, index) =>
          asRequest(orm, { locale, user: `user-${locale}` }, async (em) => {
            const article = await em.findOneOrFail(Article, shared);
            const own = em.create(Article, { title: `Own ${locale}`, body: locale });
            await new Promise((resolve) => setTimeout(resolve, (locales.length - index) * 3)); // in reverse order
            await em.flush();
            await em.transactional(async () => {
              (await em.findOneOrFail(Article, shared)).title = `Shared ${locale}`;
            });
            const size = em
              .getUnitOfWork()
              .getIdentityMap()
              .values()
              .filter((entity) => entity instanceof Article).length;
            return { locale, title: article.title, by: own.createdBy, id: own.id, size };
          }),
        ),
      );
      for (const { locale, title, by, id, size } of seen) {
        assert.deepEqual([title, by, size], [`Shared ${locale}`, `user-${locale}`, 2]);
        const own = await read(id, locale);
        assert.deepEqual([own.title, own.createdBy], [`Own ${locale}`, `user-${locale}`]);
        assert.equal((await read(shared, locale)).title, `Shared ${locale}`);
      }
    });
  });
}
