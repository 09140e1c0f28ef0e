import type { VNode } from 'preact';
import type { ProfileRecord } from '../../model/profile-record.js';
import { say } from '../../words/say.js';
import { ActionForm } from '../blocks/action-form.js';
import { currentAddress } from '../site/prepare-page.js';
import type { ProfilerLinks } from '../site/links.js';
import type { RecordMark } from '../../model/record-marks.js';
import { formatTerm } from '../../query/parse-query.js';

const copyFormats = [
  ['fetch', 'Copy as fetch'],
  ['test', 'Copy as a test (node:test)'],
  ['vitest', 'Copy as a test (Vitest)'],
] as const;

/** The actions of a record: buttons to compare and replay it, and a menu with the others. */
export function RecordActions(props: {
  record: ProfileRecord;
  links: ProfilerLinks;
  isPinned: boolean;
}): VNode {
  const { record, links, isPinned } = props;
  return (
    <div class="actions">
      {(record.route?.name ?? null) !== null && (
        <a
          class="button"
          href={links.compare(record.token, 'last-good')}
          title={say('Compare with the last good one')}
        >
          {say('Compare')}
        </a>
      )}
      <ActionForm action={links.replay(record.token)} label={say('Replay')} buttonClass="button" />
      <details class="drop">
        <summary class="button">{say('Actions')}</summary>
        <ul>
          {currentAddress().isPane && (
            <li>
              <a href={links.record(record.token)} target="_top">
                {say('Open in the whole window')}
              </a>
            </li>
          )}
          <li>
            <ActionForm
              action={links.replay(record.token)}
              label={say('Replay with a CPU profile')}
              fields={{ profile: 'cpu' }}
            />
          </li>
          <li>
            <ActionForm
              action={links.mark(record.token)}
              label={isPinned ? say('Unpin') : say('Pin')}
              {...(isPinned ? { fields: { remove: '1' } } : {})}
            />
          </li>
          <ExportEntries token={record.token} links={links} />
        </ul>
      </details>
    </div>
  );
}

/** Menu entries that open or copy the record in other formats. */
function ExportEntries({ token, links }: { token: string; links: ProfilerLinks }): VNode {
  const markdown = links.data(token, 'md');
  return (
    <>
      <li data-scripted="" hidden>
        <button type="button" data-copy-from={markdown} data-key="m">
          {say('Copy as Markdown')}
        </button>
      </li>
      <li>
        <a href={markdown}>{say('Open as Markdown')}</a>
      </li>
      <li>
        <a href={links.data(token, 'json')}>{say('Open as JSON')}</a>
      </li>
      <li>
        <a href={links.data(token, 'har')}>{say('Open as HAR')}</a>
      </li>
      {copyFormats.map(([format, words]) => (
        <li data-scripted="" hidden>
          <button type="button" data-copy-from={links.data(token, format)}>
            {say(words)}
          </button>
        </li>
      ))}
    </>
  );
}

/** Tags and note of a pinned record, and the form that changes them. */
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
