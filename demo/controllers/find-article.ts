import { NotFoundError } from 'lookback';
import type { Article } from '../database/article.js';
import type { Journal } from '../database/journal.js';
import { languageTags } from '../languages.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';

/** An article, and the journal in which it was found. */
export interface FoundArticle {
  readonly journal: Journal;
  readonly article: Article;
  /** Whether the requested address is a former address of the article. */
  readonly isFormer: boolean;
}

/**
 * Finds the article for the route: by its address in the request's language, otherwise by its address in any other
 * language, because links travel between languages, otherwise by a former address. A form also sends its `id`, because
 * addresses may change while someone writes. Throws a 404.
 */
export async function findArticle(
  { database }: Services,
  context: Context,
  id?: number,
): Promise<FoundArticle> {
  const { slug = '' } = context.params;
  const journal = database.journal(context.request);
  const known = id === undefined ? null : await journal.findArticleById(id);
  if (known !== null) return { journal, article: known, isFormer: false };
  const article = await journal.findArticle(slug);
  if (article !== null) return { journal, article, isFormer: false };
  for (const language of languageTags) {
    const foreign = await database.journalIn(language).findArticle(slug);
    const same = foreign === null ? null : await journal.findArticleById(foreign.id);
    if (same !== null) return { journal, article: same, isFormer: false };
  }
  const moved = await journal.findFormerArticle(slug, context.locale);
  if (moved !== null) return { journal, article: moved, isFormer: true };
  throw new NotFoundError(`There is no article "${slug}".`);
}
