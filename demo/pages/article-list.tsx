import type { VNode } from 'preact';
import type { Article } from '../database/article.js';
import { text } from '../languages.js';
import type { Context } from '../site.js';

interface TeasersProps {
  readonly articles: readonly Article[];
  readonly url: Context['url'];
}

/** Articles by title, date and number of comments. */
export function Teasers({ articles, url }: TeasersProps): VNode {
  return (
    <ul class="teasers">
      {articles.map(({ slug, title, publishedAt, comments }) => (
        <li>
          <a href={url('article', { slug })}>{title}</a>
          <p class="meta">
            {text('published', { date: publishedAt })} · {text('comments', { count: comments.length })}
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
