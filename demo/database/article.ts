import type { Collection, Opt } from '@mikro-orm/core';

/** An article of the journal. Title, text and address are those of the reader's language. */
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

/** What a reader says of an article. */
export class Comment {
  declare id: number;
  declare text: string;
  declare article: Article;
  declare writtenAt: Date & Opt;
  declare writtenBy: string & Opt;
  declare removedAt?: Date | null;
}

/** Characters that a comment has at least. */
export const shortestComment = 2;
