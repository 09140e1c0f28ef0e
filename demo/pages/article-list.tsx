import type { VNode } from 'preact';
import type { Article } from '../database/article.js';
import { text } from '../languages.js';
import type { Context } from './page.js';

interface TeasersProps {
  readonly articles: readonly Article[];
  /** Whether the article is in the page's language. */
  readonly isTranslated: (article: Article) => boolean;
  readonly url: Context['url'];
}

/** Lists articles by title, date and number of comments. */
export function Teasers({ articles, isTranslated, url }: TeasersProps): VNode {
  return (
    <ul class="teasers">
      {articles.map((article) => (
        <li>
          <a href={url('article', { slug: article.slug })} lang={isTranslated(article) ? undefined : 'en'}>
            {article.title}
          </a>
          <p class="meta">
            {text('published', { date: article.publishedAt })} ·{' '}
            {text('comments', { count: article.comments.length })}
          </p>
        </li>
      ))}
    </ul>
  );
}

export function ArticleList(props: TeasersProps): VNode {
  return (
    <>
      <h1>{text('articles')}</h1>
      <Teasers {...props} />
    </>
  );
}
