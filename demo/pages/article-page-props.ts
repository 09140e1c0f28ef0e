import type { Article } from '../database/article.js';
import type { Context, Reader } from './page.js';

/** What the page of an article shows. */
export interface ArticlePageProps {
  readonly article: Article;
  /** Whether the text is in the language of the page. */
  readonly isTranslated: boolean;
  readonly reader: Reader;
  readonly url: Context['url'];
  readonly draft?: CommentDraft | undefined;
}

/** A comment to be written on. */
export interface CommentDraft {
  readonly words: string;
  readonly isTooShort: boolean;
}
