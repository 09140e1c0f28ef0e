import type { Opt } from '@mikro-orm/core';
import type { Article } from './article.js';

/** What a reader says of an article. */
export class Comment {
  declare id: number;
  declare text: string;
  declare article: Article;
  declare writtenAt: Date & Opt;
  declare writtenBy: string & Opt;
  declare writtenFrom?: string | null;
  declare removedAt?: Date | null;
}

/** Characters that a comment has at least. */
export const shortestComment = 2;
