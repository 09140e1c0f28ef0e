import type { VNode } from 'preact';
import type { Version } from 'lookback/persistence';
import type { ArticleText } from '../database/journal.js';
import { text } from '../languages.js';
import { EditForm } from './edit-form.js';
import type { EditFormProps } from './edit-form.js';

interface ConflictPageProps extends EditFormProps {
  /** The text saved by someone else. */
  readonly current: ArticleText;
  readonly newest: Version;
}

/** Two people wrote at once: shows the other person's saved text, and the writer's own text to continue with. */
export function ConflictPage({ current, newest, ...form }: ConflictPageProps): VNode {
  const { draft } = form.editing;
  const name = newest.user ?? text('someone');
  return (
    <>
      <h1>{text('conflictTitle')}</h1>
      <p class="notice err" role="alert">
        {text('conflictHint', { name })}
      </p>
      <section class="saved" aria-labelledby="theirs">
        <h2 id="theirs">{text('theirText', { name })}</h2>
        <p class="hint">{text('markHint')}</p>
        <h3>
          <Marked words={current.title} other={draft.title} />
        </h3>
        <p class="words">
          <Marked words={current.body} other={draft.body} />
        </p>
      </section>
      <section aria-labelledby="yours">
        <h2 id="yours">{text('yourText')}</h2>
        <EditForm {...form} />
      </section>
    </>
  );
}

/** Text in which the sentences missing from the other text are marked. */
function Marked({ words, other }: { readonly words: string; readonly other: string }): VNode {
  const known = new Set(sentences(other).map((sentence) => sentence.trim()));
  return (
    <>
      {sentences(words).map((sentence) =>
        sentence.trim() === '' || known.has(sentence.trim()) ? sentence : <mark>{sentence}</mark>,
      )}
    </>
  );
}

function sentences(words: string): readonly string[] {
  return words.split(/(?<=[.!?…:]\s|\n)/);
}
