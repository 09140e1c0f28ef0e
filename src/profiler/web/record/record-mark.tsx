import type { VNode } from 'preact';
import type { RecordMark } from '../../model/record-marks.js';
import { formatTerm } from '../../query/parse-query.js';
import { say } from '../../words/say.js';
import { ActionForm } from '../blocks/action-form.js';
import type { ProfilerLinks } from '../site/links.js';

/** What people wrote at a record, and the form that changes it. */
export function MarkLine(props: { mark: RecordMark; token: string; links: ProfilerLinks }): VNode {
  const { mark, token, links } = props;
  const { tags, note } = mark;
  return (
    <div class="mark-line">
      <a href={links.list({ q: 'has:pin' })}>{say('Pinned')}</a>
      {tags.map((tag) => (
        <a class="tag" href={links.list({ q: formatTerm('tag', tag) })}>
          {tag}
        </a>
      ))}
      {note !== '' && <span class="text">{note}</span>}
      <details>
        <summary>{say('Tags and note')}</summary>
        <ActionForm action={links.mark(token)} label={say('Save')} buttonClass="button primary">
          <label>
            {say('Tags')}
            <input name="tags" value={tags.join(' ')} maxLength={420} />
          </label>
          <label>
            {say('Note')}
            <textarea name="note" rows={3} maxLength={2000}>
              {note}
            </textarea>
          </label>
        </ActionForm>
        <ActionForm
          action={links.mark(token)}
          label={say('Unpin')}
          fields={{ remove: '1' }}
          buttonClass="button"
        />
      </details>
    </div>
  );
}
