import { randomUUID } from 'node:crypto';
import { EntitySchema } from '@mikro-orm/core';
import type { Opt } from '@mikro-orm/core';
import { defineBehaviours } from '#framework/persistence';

/** Declared as data. */
export class Article {
  id!: number;
  title!: string;
  body!: string;
  status: string & Opt = 'draft';
  category?: Category | null;
  createdAt!: Date & Opt;
  updatedAt!: Date & Opt;
  publishedAt?: Date | null;
  createdBy?: string | null;
  updatedBy?: string | null;
}

export class Category {
  id!: number;
  name!: string;
}

export const CategorySchema: EntitySchema<Category> = new EntitySchema<Category>({
  class: Category,
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, name: { type: 'string' } },
});

const date = { type: 'Date', length: 3, nullable: true } as const;
const text = { type: 'string', nullable: true } as const;

export const ArticleSchema: EntitySchema<Article> = new EntitySchema<Article>({
  class: Article,
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    title: { type: 'string' },
    body: { type: 'text' },
    status: { type: 'string', default: 'draft' },
    category: { kind: 'm:1', entity: () => Category, nullable: true },
    createdAt: { type: 'Date', length: 3 },
    updatedAt: { type: 'Date', length: 3 },
    publishedAt: date,
    createdBy: text,
    updatedBy: text,
  },
});

defineBehaviours(ArticleSchema, {
  translatable: { fields: ['title', 'body'] },
  timestampable: {
    createdAt: 'create',
    updatedAt: 'update',
    publishedAt: { on: 'change', field: 'status', to: 'published' },
  },
  blameable: {
    createdBy: 'create',
    updatedBy: 'update',
  },
  loggable: { fields: ['title', 'body', 'status', 'category'] },
});

/** Declared on the class. */
export class Page {
  id!: number;
  title!: string;
  section!: string;
  slug!: string;
  madeAt!: Date & Opt;
  editor?: string | null;
}

export const PageSchema: EntitySchema<Page> = new EntitySchema<Page>({
  class: Page,
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    title: { type: 'string' },
    section: { type: 'string' },
    slug: { type: 'string', unique: true },
    madeAt: { type: 'Date', length: 3 },
    editor: text,
  },
});

defineBehaviours(Page, {
  translatable: { fields: ['title', 'slug'] },
  timestampable: { madeAt: 'create' },
  blameable: { editor: { on: 'update', value: (user) => user.identifier.toUpperCase() } },
  loggable: { fields: ['section'] },
});

/** Comments on an article, for queries through a relation. */
export class Comment {
  id!: number;
  text!: string;
  article!: Article;
}

export const CommentSchema: EntitySchema<Comment> = new EntitySchema<Comment>({
  class: Comment,
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    text: { type: 'string' },
    article: { kind: 'm:1', entity: () => Article },
  },
});

/** An entity with a text key, an optimistic lock, no fallback, and every field in versions. */
export class Note {
  id: string & Opt = randomUUID();
  lock!: number & Opt;
  text!: string;
  list!: string;
  secret?: string | null;
  due?: Date | null;
}

export const NoteSchema: EntitySchema<Note> = new EntitySchema<Note>({
  class: Note,
  properties: {
    id: { type: 'uuid', primary: true },
    lock: { type: 'integer', version: true },
    text: { type: 'string' },
    list: { type: 'string' },
    secret: { type: 'string', nullable: true, hidden: true },
    due: date,
  },
});

defineBehaviours(NoteSchema, {
  translatable: { fields: ['text'], fallback: false },
  loggable: true,
});

/** All of them. */
export const journalEntities: EntitySchema[] = [
  ArticleSchema,
  CategorySchema,
  PageSchema,
  CommentSchema,
  NoteSchema,
];
