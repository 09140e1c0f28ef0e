import type { VNode } from 'preact';
import type { Version } from 'lookback/persistence';
import { text } from '../languages.js';
import type { Context } from './page.js';
import type { EditFormProps } from './edit-form.js';
import { EditForm } from './edit-form.js';

/** The form for editing an article, in the page's language. */
export function EditPage({ title, ...form }: EditFormProps & { readonly title: string }): VNode {
  return (
    <>
      <h1>{text('editTitle', { title })}</h1>
      <p class="notice">{text('editHint')}</p>
      <EditForm {...form} />
    </>
  );
}

interface HistoryPageProps {
  readonly slug: string;
  readonly title: string;
  readonly versions: readonly Version[];
  readonly url: Context['url'];
}

/** An article's versions with date and author, newest first. */
export function HistoryPage({ slug, title, versions, url }: HistoryPageProps): VNode {
  return (
    <>
      <h1>{text('historyTitle', { title })}</h1>
      <p>
        <a href={url('article', { slug })}>{text('back')}</a>
      </p>
      <ol class="teasers">
        {versions.map(({ version, user, at, changes }, index) => (
          <li>
            <h2>
              {text('version', { number: version })}{' '}
              {index === 0 && <span class="chip ok">{text('current')}</span>}
            </h2>
            <p class="meta">
              {user === undefined
                ? text('byNobody', { date: at })
                : text('writtenAt', { name: user, date: at })}
            </p>
            <Changes changes={changes} />
            {index > 0 && (
              <form method="post" action={url('article_revert', { slug, version })}>
                <button
                  class="button"
                  aria-label={`${text('revert')}: ${text('version', { number: version })}`}
                >
                  {text('revert')}
                </button>
              </form>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function Changes({ changes }: Pick<Version, 'changes'>): VNode {
  const texts = (['title', 'body'] as const).filter((field) => typeof changes[field] === 'string');
  return (
    <dl>
      {texts.map((field) => (
        <div>
          <dt class="hint">{text(field)}</dt>
          <dd>{String(changes[field])}</dd>
        </div>
      ))}
    </dl>
  );
}
