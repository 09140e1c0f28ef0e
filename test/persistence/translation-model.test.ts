import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { EntityManager } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/libsql';
import { forkFor, showIn, withBehaviours } from '#framework/persistence';
import { Article, journalEntities } from './journal-entities.js';
import { createTables } from './create-tables.js';

const fields = ['title', 'body'] as const;
type Field = (typeof fields)[number];
type Texts = Record<Field, string>;

/** A minimal model of the database. */
class Model {
  readonly main: Texts;
  readonly translations = new Map<string, Partial<Texts>>();

  constructor(main: Texts) {
    this.main = main;
  }

  read(locale: string): Texts {
    return { ...this.main, ...(locale === 'en' ? {} : this.translations.get(locale)) };
  }

  write(locale: string, field: Field, text: string | null): void {
    if (locale === 'en') this.main[field] = text ?? '';
    else {
      const texts = { ...this.translations.get(locale), ...(text !== null && { [field]: text }) };
      if (text === null) delete texts[field];
      this.translations.set(locale, texts);
    }
  }
}

type Step =
  | {
      readonly do: 'load' | 'show' | 'elsewhere';
      readonly locale: string;
      readonly field: Field;
      readonly text: string;
    }
  | { readonly do: 'set'; readonly field: Field; readonly text: string }
  | { readonly do: 'flush' | 'find' | 'find anew' | 'refresh' };

const locale = fc.constantFrom('en', 'fr', 'de');
const field = fc.constantFrom(...fields);
const text = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('load', 'show', 'elsewhere'), locale, field, text }),
  fc.record({ do: fc.constant('set'), field, text }),
  fc.record({ do: fc.constantFrom('flush', 'find', 'find anew', 'refresh') }),
) as fc.Arbitrary<Step>; // all members of the union

describe('translatable compared with a model', () => {
  let orm: MikroORM;
  before(async () => {
    orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: journalEntities }));
    await createTables(orm);
  });
  after(() => orm.close(true));

  it('each language keeps its own text, in any sequence of loading, showing, editing, refreshing and writing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        await new Run(orm).all(steps);
      }),
      { numRuns: 60 },
    );
  });
});

/** One article with its model, and the request that has it open. */
class Run {
  readonly #orm: MikroORM;
  readonly #model = new Model({ title: 'a', body: 'b' });
  #em: EntityManager;
  #id = 0;
  #locale = 'en';
  #article: Article | undefined;
  /** The entity's texts when it was last read or written. */
  #before: Texts = { title: '', body: '' };

  constructor(orm: MikroORM) {
    this.#orm = orm;
    this.#em = orm.em;
  }

  async all(steps: readonly Step[]): Promise<void> {
    const em = this.#request('en');
    const article = em.create(Article, { ...this.#model.main });
    await em.flush();
    this.#id = article.id;
    await this.#load('en');
    for (const one of steps) await this.#step(one);
    await this.#flush();
    for (const tag of ['en', 'fr', 'de']) {
      const { title, body } = await this.#request(tag).findOneOrFail(Article, this.#id);
      assert.deepEqual({ title, body }, this.#model.read(tag), `in ${tag} at the end`);
    }
  }

  async #step(one: Step): Promise<void> {
    switch (one.do) {
      case 'load':
        return this.#load(one.locale);
      case 'set':
        this.#open()[one.field] = one.text;
        return;
      case 'elsewhere': {
        const em = this.#request(one.locale);
        const article = await em.findOneOrFail(Article, this.#id);
        const isChange = article[one.field] !== one.text;
        article[one.field] = one.text;
        await em.flush();
        if (isChange) this.#model.write(one.locale, one.field, one.text);
        return;
      }
      case 'show':
        await this.#flush();
        await showIn(this.#em, this.#open(), one.locale);
        this.#locale = one.locale;
        return this.#readAnew(false);
      case 'flush':
        return this.#flush();
      case 'find':
        return this.#find();
      case 'find anew':
        await this.#em.find(Article, { id: this.#id }, { refresh: true });
        return this.#readAnew(true);
      case 'refresh':
        await this.#em.refresh(this.#open());
        return this.#readAnew(true);
    }
  }

  /** MikroORM refreshes columns that have changed meanwhile, in fields that are not being edited. */
  async #find(): Promise<void> {
    const article = this.#open();
    const untouched = fields.filter((name) => article[name] === this.#before[name]);
    await this.#em.find(Article, { id: this.#id });
    for (const name of untouched) this.#before[name] = article[name];
  }

  async #load(tag: string): Promise<void> {
    this.#em = this.#request(tag);
    this.#locale = tag;
    this.#article = await this.#em.findOneOrFail(Article, this.#id);
    this.#readAnew(true);
  }

  /** The entity has just been read: it matches the model (or, if shown from memory, at least its own texts). */
  #readAnew(fromDatabase: boolean): void {
    const { title, body } = this.#open();
    if (fromDatabase)
      assert.deepEqual({ title, body }, this.#model.read(this.#locale), `read in ${this.#locale}`);
    this.#before = { title, body };
  }

  async #flush(): Promise<void> {
    const article = this.#open();
    const now: Texts = { title: article.title, body: article.body };
    await this.#em.flush();
    for (const name of fields) {
      if (now[name] !== this.#before[name]) this.#model.write(this.#locale, name, now[name]);
    }
    assert.deepEqual(
      { title: article.title, body: article.body },
      now,
      'flushing does not change the entity',
    );
    this.#before = now;
  }

  #open(): Article {
    assert.ok(this.#article);
    return this.#article;
  }

  #request(tag: string): EntityManager {
    return forkFor(this.#orm.em, { locale: () => tag });
  }
}
