import type { Collection, Opt } from '@mikro-orm/core';
import type { Comment } from './comment.js';

/** An article of the journal. Title, text and address are those of the reader's language. */
export class Article {
  declare id: number;
  declare title: string;
  declare body: string;
  declare slug: string & Opt;
  declare publishedAt: Date;
  declare updatedAt: Date & Opt;
  declare updatedBy?: string | null;
  declare comments: Collection<Comment> & Opt;
}
