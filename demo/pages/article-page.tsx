import type { VNode } from 'preact';
import type { Article } from '../database/article.js';
import { text } from '../languages.js';
import type { Context, Reader } from '../site.js';
import { Comments } from './comments.js';

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

/** Text in paragraphs, which empty lines divide. */
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
