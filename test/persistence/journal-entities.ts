import { randomUUID } from 'node:crypto';
import { Cascade, Collection, EntitySchema } from '@mikro-orm/core';
import type { Opt } from '@mikro-orm/core';
import {
  blameable,
  defineBehaviours,
  sluggable,
  softDeleteable,
  timestampable,
  translatable,
  versioned,
} from '#persistence';

/** Declared as data. */
export class Article {
  id!: number;
  title!: string;
  body!: string;
  status: string & Opt = 'draft';
  slug!: string & Opt;
  category?: Category | null;
  createdAt!: Date & Opt;
  updatedAt!: Date & Opt;
  publishedAt?: Date | null;
  sortedAt?: Date | null;
  createdBy?: string | null;
  updatedBy?: string | null;
  createdFrom?: string | null;
  updatedFrom?: string | null;
  deletedAt?: Date | null;
  deletedBy?: string | null;
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
    slug: { type: 'string', unique: true, length: 40 },
    category: { kind: 'm:1', entity: () => Category, nullable: true },
    createdAt: { type: 'Date', length: 3 },
    updatedAt: { type: 'Date', length: 3 },
    publishedAt: date,
    sortedAt: date,
    createdBy: text,
    updatedBy: text,
    createdFrom: text,
    updatedFrom: text,
    deletedAt: date,
    deletedBy: text,
  },
});

defineBehaviours(ArticleSchema, {
  translatable: { fields: ['title', 'body'] },
  timestampable: {
    createdAt: 'create',
    updatedAt: 'update',
    publishedAt: { on: 'change', field: 'status', to: 'published' },
    sortedAt: { on: 'change', field: 'category.name' },
  },
  blameable: {
    createdBy: 'create',
    updatedBy: 'update',
    deletedBy: { on: 'change', field: 'deletedAt' },
  },
  ipTraceable: { createdFrom: 'create', updatedFrom: 'update' },
  loggable: { fields: ['title', 'body', 'status', 'category'] },
  softDeleteable: { field: 'deletedAt' },
  sluggable: { slug: { from: ['title'] } },
});

/** Declared with decorators; the slug has a value for each language, and only what is due is shown. */
export class Page {
  id!: number;
  @translatable() title!: string;
  @versioned() section!: string;
  @translatable() @sluggable({ from: ['title'], uniqueWithin: ['section'] }) slug!: string & Opt;
  @timestampable('create') madeAt!: Date & Opt;
  @blameable({ on: 'update', value: (user) => user.identifier.toUpperCase() }) editor?: string | null;
  @softDeleteable({ timeAware: true, hardDelete: false }) expiresAt?: Date | null;
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
    expiresAt: date,
  },
});

/** Comments of an article, to ask for articles through a relation. */
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

/** A key of text, an optimistic lock, no fallback, slugs by group, every field in versions. */
export class Note {
  id: string & Opt = randomUUID();
  lock!: number & Opt;
  text!: string;
  list!: string;
  secret?: string | null;
  due?: Date | null;
  slug!: string & Opt;
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
    slug: { type: 'string' },
  },
});

defineBehaviours(NoteSchema, {
  translatable: { fields: ['text'], fallback: false },
  loggable: true,
  sluggable: { slug: { from: ['text', 'due'], uniqueWithin: ['list'], updatable: false } },
});

/** Removed softly: volumes only stand on it, leaves belong to it. */
export class Shelf {
  id!: number;
  deletedAt?: Date | null;
  volumes: Collection<Volume> = new Collection<Volume>(this);
  leaves: Collection<Leaf> = new Collection<Leaf>(this);
}

export class Volume {
  id!: number;
  shelf?: Shelf | null;
}

export class Leaf {
  id!: number;
  shelf?: Shelf | null;
  deletedAt?: Date | null;
}

export const ShelfSchema: EntitySchema<Shelf> = new EntitySchema<Shelf>({
  class: Shelf,
  properties: {
    id: { type: 'integer', primary: true },
    deletedAt: date,
    volumes: { kind: '1:m', entity: () => Volume, mappedBy: 'shelf' },
    leaves: {
      kind: '1:m',
      entity: () => Leaf,
      mappedBy: 'shelf',
      cascade: [Cascade.PERSIST, Cascade.REMOVE],
    },
  },
});

export const VolumeSchema: EntitySchema<Volume> = new EntitySchema<Volume>({
  class: Volume,
  properties: {
    id: { type: 'integer', primary: true },
    shelf: { kind: 'm:1', entity: () => Shelf, nullable: true },
  },
});

export const LeafSchema: EntitySchema<Leaf> = new EntitySchema<Leaf>({
  class: Leaf,
  properties: {
    id: { type: 'integer', primary: true },
    shelf: { kind: 'm:1', entity: () => Shelf, nullable: true },
    deletedAt: date,
  },
});

defineBehaviours(ShelfSchema, { softDeleteable: { field: 'deletedAt' } });
defineBehaviours(LeafSchema, { softDeleteable: { field: 'deletedAt' } });

/** All of them. */
export const journalEntities: EntitySchema[] = [
  ArticleSchema,
  CategorySchema,
  PageSchema,
  CommentSchema,
  NoteSchema,
  ShelfSchema,
  VolumeSchema,
  LeafSchema,
];
