import { EntitySchema } from '@mikro-orm/core';
import { defineBehaviours } from 'lookback/persistence';
import { Article, Comment } from './article.js';
import { FormerAddress } from './former-address.js';
import { User } from './user.js';

const id = { type: 'integer', primary: true, autoincrement: true } as const;

const articleSchema: EntitySchema<Article> = new EntitySchema<Article>({
  class: Article,
  tableName: 'articles',
  properties: {
    id,
    title: { type: 'string' },
    body: { type: 'text' },
    slug: { type: 'string', unique: true },
    publishedAt: { type: 'Date', length: 3 },
    updatedAt: { type: 'Date', length: 3 },
    updatedBy: { type: 'string', nullable: true },
    comments: { kind: '1:m', entity: () => Comment, mappedBy: 'article', orderBy: { id: 'asc' } },
  },
});

// Every language has its own title, text and address; each change to the first two is a version.
defineBehaviours(articleSchema, {
  translatable: { fields: ['title', 'body', 'slug'] },
  loggable: { fields: ['title', 'body'] },
  timestampable: { updatedAt: 'update' },
  blameable: { updatedBy: 'update' },
});

const commentSchema: EntitySchema<Comment> = new EntitySchema<Comment>({
  class: Comment,
  tableName: 'comments',
  properties: {
    id,
    text: { type: 'text' },
    article: { kind: 'm:1', entity: () => Article },
    writtenAt: { type: 'Date', length: 3 },
    writtenBy: { type: 'string' },
    removedAt: { type: 'Date', length: 3, nullable: true },
  },
  // A removed comment is only hidden.
  filters: { present: { name: 'present', cond: { removedAt: null }, default: true } },
});

// The author and date are filled in automatically.
defineBehaviours(commentSchema, {
  timestampable: { writtenAt: 'create' },
  blameable: { writtenBy: 'create' },
});

const formerAddressSchema: EntitySchema<FormerAddress> = new EntitySchema<FormerAddress>({
  class: FormerAddress,
  tableName: 'former_addresses',
  properties: {
    id,
    locale: { type: 'string', length: 35 },
    slug: { type: 'string', index: true },
    article: { kind: 'm:1', entity: () => Article },
    leftAt: { type: 'Date', length: 3 },
  },
  uniques: [{ properties: ['locale', 'slug'] }],
});

const userSchema: EntitySchema<User> = new EntitySchema<User>({
  class: User,
  tableName: 'users',
  properties: {
    id,
    identifier: { type: 'string', unique: true },
    passwordHash: { type: 'string', length: 255, hidden: true },
    roles: { type: 'json' },
  },
});

/** All entities of the journal. */
export const schemas: EntitySchema[] = [articleSchema, commentSchema, formerAddressSchema, userSchema];
