import type { VNode } from 'preact';
import type { ProfilerLinks } from '../site/links.js';
import { fieldFilters, type ParsedFilters } from './list-filters.js';
import { say } from '../../words/say.js';

/** What the list is filtered by: a chip for each field and each part of the query, with a link that takes it away. */
export function ActiveFilters({
  parsed,
  links,
}: {
  parsed: ParsedFilters;
  links: ProfilerLinks;
}): VNode | null {
  const { filters, terms } = parsed;
  const parts = terms.map(({ from, to }) => filters.q.slice(from, to));
  const chips = [
    ...fieldFilters
      .filter((name) => filters[name] !== '')
      .map((name) => ({
        words: `${name}: ${filters[name]}`,
        change: { [name]: '' },
      })),
    ...parts.map((words, at) => ({ words, change: { q: parts.toSpliced(at, 1).join(' ') } })),
  ];
  if (chips.length === 0) return null;
  return (
    <ul class="active" aria-label={say('Active filters')}>
      {chips.map(({ words, change }) => (
        <li>
          <span class="mono">{words}</span>
          <a
            href={links.list({ ...filters, page: '', ...change })}
            aria-label={say('Remove the filter {filter}', { filter: words })}
          >
            ×
          </a>
        </li>
      ))}
    </ul>
  );
}
