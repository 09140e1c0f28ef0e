import type { Article } from '../database/article.js';
import type { Context, Reader } from './page.js';

/** Data for an article's page. */
export interface ArticlePageProps {
  readonly article: Article;
  /** Whether the text is in the page's language. */
  readonly isTranslated: boolean;
  readonly reader: Reader;
  readonly url: Context['url'];
  readonly draft?: CommentDraft | undefined;
}

/** A comment draft. */
export interface CommentDraft {
  readonly words: string;
  readonly isTooShort: boolean;
}
