import type { Opt } from '@mikro-orm/core';
import type { Article } from './article.js';

/** An address that an article had in one language. Links to it lead on, unless another article has it now. */
export class FormerAddress {
  declare id: number;
  declare locale: string;
  declare slug: string;
  declare article: Article;
  declare leftAt: Date & Opt;
}

/** How many are kept for each article and language: the last ones. */
export const keptAddresses = 20;
