import type { VNode } from 'preact';
import { type Comment, shortestComment } from '../database/article.js';
import { text } from '../languages.js';
import type { ArticlePageProps } from './article-page-props.js';
import { Field } from './field.js';

/** An article's comments, and the form for a new one. */
export function Comments(props: ArticlePageProps): VNode {
  const comments = props.article.comments.getItems();
  return (
    <section class="comments" aria-labelledby="comments">
      <h2 id="comments">{text('comments', { count: comments.length })}</h2>
      {comments.length > 0 && (
        <ul>
          {comments.map((comment) => (
            <CommentItem comment={comment} {...props} />
          ))}
        </ul>
      )}
      <CommentForm {...props} />
    </section>
  );
}

function CommentItem(props: ArticlePageProps & { readonly comment: Comment }): VNode {
  const { comment, article, reader, url } = props;
  const { id, text: words, writtenBy, writtenAt } = comment;
  return (
    <li>
      <p>{words}</p>
      <p class="meta">{text('by', { name: writtenBy, date: writtenAt })}</p>
      {reader.mayEdit && (
        <form method="post" action={url('comment_remove', { slug: article.slug, id })}>
          <button class="button">{text('remove')}</button>
        </form>
      )}
    </li>
  );
}

function CommentForm({ article: { slug }, reader, url, draft }: ArticlePageProps): VNode {
  if (reader.user === undefined) {
    return (
      <p>
        <a href={url('article_discuss', { slug })}>{text('loginToComment')}</a>
      </p>
    );
  }
  const problem = draft?.isTooShort === true ? text('tooShort', { count: shortestComment }) : undefined;
  return (
    <form class="fields" method="post" action={url('comment', { slug })}>
      <Field name="text" label={text('yourComment')} rows={4} value={draft?.words} problem={problem} />
      <p>
        <button class="button primary">{text('send')}</button>
      </p>
    </form>
  );
}
