import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MikroORM } from '@mikro-orm/core';
import {
  forkFor,
  persistenceChannels,
  revertTo,
  traceQueries,
  translatedWhere,
  versionsOf,
} from '#framework/persistence';
import { Article, Comment, Note } from './journal-entities.js';
import { asRequest, translate } from './test-database.js';

/** The contract for combined behaviours, and for several ways of loading entities. */
export function edgesContract(orm: () => MikroORM): void {
  const make = (title: string): Promise<number> =>
    asRequest(orm(), {}, async (em) => {
      const article = em.create(Article, { title, body: `${title}!` });
      await translate(em, article, { fr: { title: `${title} fr` } });
      return article.id;
    });

  it('related entities are translated however they are loaded', async () => {
    const id = await make('Related');
    await asRequest(orm(), {}, async (em) => {
      em.create(Comment, { text: 'c', article: em.getReference(Article, id) });
      await em.flush();
    });
    for (const strategy of ['joined', 'select-in'] as const) {
      await asRequest(orm(), { locale: 'fr' }, async (em) => {
        const comment = await em.findOneOrFail(Comment, { article: id }, { populate: ['article'], strategy });
        assert.equal(comment.article.title, 'Related fr');
        await em.flush();
      });
    }
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const comment = await em.findOneOrFail(Comment, { article: id });
      await em.populate(comment, ['article']);
      assert.equal(comment.article.title, 'Related fr');
    });
  });

  it('fields that were not loaded are neither shown nor written', async () => {
    const id = await make('Partial');
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const article = await em.findOneOrFail(Article, id, { fields: ['title', 'status'] });
      assert.equal(article.title, 'Partial fr');
      em.assign(article, { status: 'review' });
      await em.flush();
      const whole = await em.findOneOrFail(Article, id, { populate: ['*'] });
      assert.equal(whole.body, 'Partial!');
    });
  });

  it("an entity that was never loaded can be edited in the request's language", async () => {
    const id = await make('Reference');
    await asRequest(orm(), { locale: 'de' }, async (em) => {
      em.getReference(Article, id).title = 'Verweis';
      await em.flush();
    });
    const titles = await Promise.all(
      ['en', 'fr', 'de'].map((locale) =>
        asRequest(orm(), { locale }, async (em) => (await em.findOneOrFail(Article, id)).title),
      ),
    );
    assert.deepEqual(titles, ['Reference', 'Reference fr', 'Verweis']);
  });

  it('many edits of texts and rows are written in one flush', async () => {
    const ids = [await make('Batch a'), await make('Batch b'), await make('Batch c')];
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const [a, b, c] = await em.find(Article, { id: ids }, { orderBy: { id: 'asc' } });
      assert.ok(a && b && c);
      a.title = 'A';
      b.status = 'review';
      c.title = 'C';
      c.status = 'review';
      await em.flush();
      b.title = 'B';
      a.title = 'AA';
      await em.flush();
    });
    const read = (locale: string): Promise<(string | number)[][]> =>
      asRequest(orm(), { locale }, async (em) => {
        const list = await em.find(Article, { id: ids }, { orderBy: { id: 'asc' } });
        return list.map(({ title, status }) => [title, status]);
      });
    assert.deepEqual(await read('fr'), [
      ['AA', 'draft'],
      ['B', 'review'],
      ['C', 'review'],
    ]);
    assert.deepEqual(await read('en'), [
      ['Batch a', 'draft'],
      ['Batch b', 'review'],
      ['Batch c', 'review'],
    ]);
  });

  it('concurrent edits of one article get consecutive versions', async () => {
    const id = await make('Counted');
    await Promise.all(
      ['en', 'fr', 'de', 'it', 'es'].map((locale) =>
        asRequest(orm(), { locale, user: locale }, async (em) => {
          (await em.findOneOrFail(Article, id)).title = `In ${locale}`;
          await em.flush();
        }),
      ),
    );
    await asRequest(orm(), {}, async (em) => {
      const versions = await versionsOf(em, await em.findOneOrFail(Article, id));
      assert.deepEqual(
        versions.map(({ version }) => version),
        [7, 6, 5, 4, 3, 2, 1],
      );
      for (const { locale, user, changes } of versions.slice(0, 5)) {
        assert.deepEqual([user, changes], [locale, { title: `In ${locale}` }]);
      }
    });
  });

  it('text keys, optimistic locks, disabled fallbacks, and all fields in versions work together', async () => {
    const due = new Date('2026-02-03T04:05:06.000Z');
    const id = await asRequest(orm(), {}, async (em) => {
      const note = em.create(Note, { text: 'Buy milk', list: 'home', due, secret: 'x' });
      await em.flush();
      return note.id;
    });
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const note = await em.findOneOrFail(Note, id);
      assert.equal(note.text, null);
      const { lock } = note;
      note.text = 'Acheter du lait';
      await em.flush();
      assert.equal(note.lock, lock + 1);
      note.due = null;
      await em.flush();
      const found = await em.find(Note, translatedWhere(em, Note, { text: { $like: 'Acheter%' } }));
      assert.deepEqual(found, [note]);
      assert.equal(await em.count(Note, translatedWhere(em, Note, { text: 'Buy milk' })), 0);
      const [newest, , first] = await versionsOf(em, note);
      assert.deepEqual(newest?.changes, { due: null });
      assert.deepEqual(Object.keys(first?.changes ?? {}).toSorted(), ['due', 'list', 'text']);
      await revertTo(em, note, 2);
      assert.deepEqual(note.due, due);
      await em.flush();
    });
    await asRequest(orm(), {}, async (em) => {
      const note = await em.findOneOrFail(Note, id);
      assert.deepEqual([note.text, note.due], ['Buy milk', due]);
    });
  });

  it('a flush that fails writes nothing at all', async () => {
    const id = await make('Atomic');
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      (await em.findOneOrFail(Article, id)).title = 'Atomique';
      em.create(Comment, { text: 'x', article: em.getReference(Article, 999_999) });
      await assert.rejects(em.flush());
    });
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const article = await em.findOneOrFail(Article, id);
      assert.equal(article.title, 'Atomic fr');
      assert.equal((await versionsOf(em, article)).length, 2);
    });
  });

  it('reading a row again reads its texts again, and never confuses them', async () => {
    const id = await make('Reread');
    const elsewhere = (locale: string, title: string): Promise<void> =>
      asRequest(orm(), { locale }, async (em) => {
        (await em.findOneOrFail(Article, id)).title = title;
        await em.flush();
      });
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const article = await em.findOneOrFail(Article, id);
      await elsewhere('fr', 'Relu');
      await elsewhere('en', 'Read again');
      await em.find(Article, { id });
      assert.equal(article.title, 'Reread fr');
      await em.find(Article, { id }, { refresh: true });
      assert.equal(article.title, 'Relu');
      await em.flush();
      await elsewhere('fr', 'Relu encore');
      await em.refresh(article);
      assert.equal(article.title, 'Relu encore');
      await em.find(Article, { id });
      article.body = 'Corps';
      await em.flush();
      await em.find(Article, { id }, { refresh: true });
      assert.deepEqual([article.title, article.body], ['Relu encore', 'Corps']);
    });
    const read = (locale: string): Promise<string[]> =>
      asRequest(orm(), { locale }, async (em) => {
        const { title, body } = await em.findOneOrFail(Article, id);
        return [title, body];
      });
    assert.deepEqual(await read('en'), ['Read again', 'Reread!']);
    assert.deepEqual(await read('fr'), ['Relu encore', 'Corps']);
  });

  it('a list that is read again loads its texts once', async () => {
    const ids = [await make('Twice a'), await make('Twice b')];
    await asRequest(orm(), { locale: 'fr' }, async (em) => {
      const [first, second] = await em.find(Article, { id: ids }, { orderBy: { id: 'asc' } });
      assert.ok(first && second);
      second.title = 'En cours';
      const messages: unknown[] = [];
      const listen = (message: unknown): void => void messages.push(message);
      traceQueries(orm());
      persistenceChannels.query.subscribe(listen);
      await em.find(Article, { id: ids[0] ?? 0 }, { refresh: true });
      await em.find(Article, { id: ids }, { refresh: true });
      persistenceChannels.query.unsubscribe(listen);
      assert.equal(messages.length, 4);
      assert.deepEqual([first.title, second.title], ['Twice a fr', 'Twice b fr']);
    });
  });

  it('the result cache returns each request its own language', async () => {
    const id = await make('Cached');
    const ask = (locale: string): Promise<string> =>
      asRequest(orm(), { locale }, async (em) => {
        const [article] = await em.find(Article, { id }, { cache: [`article ${id}`, 5000] });
        const one = await em.fork().findOneOrFail(Article, { id }, { cache: 5000 });
        assert.equal(one.title, article?.title);
        return one.title;
      });
    assert.deepEqual(
      [await ask('fr'), await ask('en'), await ask('fr'), await ask('de')],
      ['Cached fr', 'Cached', 'Cached fr', 'Cached'],
    );
  });

  it('a fork for another actor inside a transaction does not join the transaction', async () => {
    const id = await make('Outer');
    await asRequest(orm(), { locale: 'fr', user: 'ada' }, async (em) => {
      await em.transactional(async (inner) => {
        assert.equal(em.getContext(), inner);
        const other = forkFor(orm().em, { locale: () => 'de' });
        assert.equal(other.getContext(), other);
        assert.equal((await em.findOneOrFail(Article, id)).title, 'Outer fr');
        await em.transactional(async (nested) => {
          assert.equal(em.getContext(), nested);
          assert.equal(other.getContext(), other);
        });
      });
    });
  });
}
