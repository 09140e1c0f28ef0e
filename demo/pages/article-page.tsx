import type { VNode } from 'preact';
import { text } from '../languages.js';
import type { ArticlePageProps } from './article-page-props.js';
import { Comments } from './comments.js';

/** An article with its comments. */
export function ArticlePage(props: ArticlePageProps): VNode {
  const { article, isTranslated, reader, url } = props;
  const { slug, title, publishedAt, updatedAt, updatedBy } = article;
  const language = isTranslated ? undefined : 'en';
  return (
    <>
      {!isTranslated && <p class="notice">{text('fallback')}</p>}
      <article>
        <h1 lang={language}>{title}</h1>
        <p class="meta">
          {text('published', { date: publishedAt })}
          {updatedBy && ` · ${text('changed', { name: updatedBy, date: updatedAt })}`}
        </p>
        <Prose body={article.body} lang={language} />
      </article>
      {reader.mayEdit && (
        <p class="actions">
          <a class="button" href={url('article_edit', { slug })}>
            {text('edit')}
          </a>
          <a class="button" href={url('article_history', { slug })}>
            {text('history')}
          </a>
        </p>
      )}
      <Comments {...props} />
    </>
  );
}

/** Text in paragraphs, separated by empty lines. */
function Prose({ body, lang }: { readonly body: string; readonly lang: string | undefined }): VNode {
  const paragraphs = body.split(/\r?\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  return (
    <div class="prose" lang={lang}>
      {paragraphs.map((paragraph) => (
        <p>{paragraph}</p>
      ))}
    </div>
  );
}
