import type { VNode } from 'preact';
import type { SavedFilter } from '../../model/record-marks.js';
import { say } from '../../words/say.js';
import { ActionForm } from '../blocks/action-form.js';
import type { ProfilerLinks } from '../site/links.js';
import type { ListFilters } from './list-filters.js';

/** Lists that are asked for often, by their names; what the list is filtered by now can be added. */
export function SavedFilters(props: {
  saved: readonly SavedFilter[];
  filters: ListFilters;
  links: ProfilerLinks;
}): VNode | null {
  const { saved, links } = props;
  const address = links.list({ ...props.filters, page: '' });
  const query = address.split('?', 2)[1] ?? '';
  if (saved.length === 0 && query === '') return null;
  const isKnown = saved.some((filter) => filter.query === query);
  return (
    <div class="saved">
      {saved.length > 0 && <span class="muted">{say('Saved filters')}</span>}
      {saved.map((filter) => (
        <span>
          <a
            href={`${links.list()}?${filter.query}`}
            aria-current={filter.query === query ? 'true' : undefined}
          >
            {filter.name}
          </a>
          <ActionForm
            action={links.filters()}
            label="×"
            name={say('Remove the filter {filter}', { filter: filter.name })}
            fields={{ name: filter.name, remove: '1' }}
          />
        </span>
      ))}
      {query !== '' && !isKnown && (
        <ActionForm
          action={links.filters()}
          label={say('Save filter')}
          fields={{ query }}
          buttonClass="button"
        >
          <input name="name" required maxLength={60} placeholder={say('Name')} aria-label={say('Name')} />
        </ActionForm>
      )}
    </div>
  );
}
