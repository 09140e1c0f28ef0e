import type { Collection, Opt } from '@mikro-orm/core';

/** An article. Title, text and address are in the reader's language. */
export class Article {
  declare id: number;
  declare title: string;
  declare body: string;
  declare slug: string;
  declare publishedAt: Date;
  declare updatedAt: Date & Opt;
  declare updatedBy?: string | null;
  declare comments: Collection<Comment> & Opt;
}

/** A reader's comment on an article. */
export class Comment {
  declare id: number;
  declare text: string;
  declare article: Article;
  declare writtenAt: Date & Opt;
  declare writtenBy: string & Opt;
  declare removedAt?: Date | null;
}

/** Minimum number of characters in a comment. */
export const shortestComment = 2;
