import type { VNode } from 'preact';
import type { ArticleText } from '../database/journal.js';
import { text } from '../languages.js';
import type { Context } from './page.js';
import { Field } from './field.js';

/** A text being written, and the text that it will replace. */
export interface Editing {
  readonly id: number;
  /** The article's address when the form was rendered. */
  readonly slug: string;
  readonly draft: ArticleText;
  /** The version that the writer started from. A newer one is never overwritten unnoticed. */
  readonly basis: number;
  /** Problems with the draft, by field. */
  readonly problems: ReadonlyMap<string, string>;
}

export interface EditFormProps {
  readonly editing: Editing;
  readonly url: Context['url'];
}

/** An article's title and text, in the page's language. */
export function EditForm({ editing, url }: EditFormProps): VNode {
  const { id, slug, draft, basis, problems } = editing;
  return (
    <form class="fields" method="post" action={url('article_save', { slug })}>
      <input type="hidden" name="article" value={id} />
      <input type="hidden" name="basis" value={basis} />
      <Field name="title" label={text('title')} value={draft.title} problem={problems.get('title')} />
      <Field
        name="body"
        label={text('body')}
        rows={12}
        value={draft.body}
        hint={text('bodyHint')}
        problem={problems.get('body')}
      />
      <p class="actions">
        <button class="button primary">{text('save')}</button>
        <a href={url('article', { slug })}>{text('cancel')}</a>
      </p>
    </form>
  );
}
