import type { Opt } from '@mikro-orm/core';
import type { Article } from './article.js';

/** An address that an article once had in one language. Links to it still work, unless another article has it now. */
export class FormerAddress {
  declare id: number;
  declare locale: string;
  declare slug: string;
  declare article: Article;
  declare leftAt: Date & Opt;
}

/** Number of addresses kept per article and language; the oldest are removed. */
export const keptAddresses = 20;
