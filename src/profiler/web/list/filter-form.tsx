import type { VNode } from 'preact';
import { queryFields } from '../../search/query-fields.js';
import type { FilterProblem, ListFilters, ParsedFilters } from './list-filters.js';
import type { ProfilerLinks } from '../site/links.js';
import { say } from '#core/phrases';

interface FilterFormProps {
  readonly parsed: ParsedFilters;
  readonly links: ProfilerLinks;
}

interface FormField {
  readonly name: string;
  readonly label: string;
  /** Values to choose from, with their labels; without them, the field is a text with an example. */
  readonly values?: readonly (readonly [value: string, words: string])[];
  readonly example?: string;
}

/** The most common fields; the query language has more. */
const formFields: readonly FormField[] = [
  {
    name: 'status',
    label: 'Status',
    values: [
      ['5xx', '5xx, failed'],
      ['4xx', '4xx, refused'],
      ['3xx', '3xx, redirected'],
      ['2xx', '2xx, succeeded'],
    ],
  },
  {
    name: 'method',
    label: 'Method',
    values: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method]),
  },
  { name: 'path', label: 'Path', example: '/api*' },
  { name: 'route', label: 'Route', example: 'blog_*' },
  { name: 'duration', label: 'Took', example: '>200ms' },
  { name: 'after', label: 'Not older than', example: '10m' },
];

/** The query and its most common fields as a folded form, because the search field and the rows' links do the same. */
export function FilterForm({ parsed: { filters, problems, collected }, links }: FilterFormProps): VNode {
  const kept = (['own', 'sort', 'assets', 'limit'] as const).filter((name) => filters[name] !== '');
  const isRefused = problems.some(({ name }) => name === 'q');
  return (
    <details class="drop filter-fold">
      <summary class="button add">+ Filter</summary>
      <form
        class="filter-form"
        method="get"
        action={links.list()}
        aria-label="Filters"
        autocomplete="off"
        spellcheck={false}
      >
        <label class="wide">
          Search
          <input
            name="q"
            type="search"
            value={filters.q}
            list="query-parts"
            aria-invalid={isRefused ? 'true' : undefined}
          />
        </label>
        <span class="actions">
          <button class="button primary" type="submit">
            Filter
          </button>
          <a class="button" href={links.list({ own: filters.own })}>
            Reset
          </a>
        </span>
        {formFields.map(({ name, label, values, example }) => (
          <label>
            {label}
            {values === undefined ? (
              <input name={name} type="text" placeholder={example} />
            ) : (
              <select name={name}>
                <option value="">any</option>
                {values.map(([value, words]) => (
                  <option value={value}>{words}</option>
                ))}
              </select>
            )}
          </label>
        ))}
        <p class="wide">
          The search accepts every other field too, such as{' '}
          <code>{queryFields(collected).at(-1)?.example}</code>: it suggests them.
        </p>
        {kept.map((name) => (
          <input type="hidden" name={name} value={filters[name]} />
        ))}
      </form>
    </details>
  );
}

/** The query with its invalid parts marked. */
function MarkedQuery({ problems, q }: { problems: readonly FilterProblem[]; q: string }): VNode | null {
  const marked: (VNode | string)[] = [];
  let end = 0;
  for (const { from, to } of problems) {
    if (from === undefined || to === undefined || from < end) continue;
    marked.push(q.slice(end, from), <mark>{q.slice(from, to)}</mark>);
    end = to;
  }
  return end === 0 ? null : (
    <code class="refused places">
      {marked}
      {q.slice(end)}
    </code>
  );
}

/** Explains why nothing was searched: each invalid filter, and the query with its wrong parts marked. */
export function RefusedFilters({ parsed: { filters, problems }, links }: FilterFormProps): VNode {
  return (
    <div class="note note-error" role="alert">
      <p>
        {say(
          'The search was not run: {n} filter cannot be applied.|The search was not run: {n} filters cannot be applied.',
          { n: problems.length },
        )}{' '}
        <a href={links.list()}>Show all requests</a>
      </p>
      <MarkedQuery problems={problems} q={filters.q} />
      <ul>
        {problems.map(({ name, words }) => (
          <li>
            {name !== 'q' && [<code>{name.slice(0, 100)}</code>, ': ']}
            {words}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The active filters: a chip per query term, with a link that removes it. */
export function ActiveFilters({ parsed: { filters, terms }, links }: FilterFormProps): VNode | null {
  if (terms.length === 0) return null;
  const parts = terms.map(({ from, to }) => filters.q.slice(from, to));
  const without = (at: number): ListFilters => ({
    ...filters,
    page: '',
    q: parts.toSpliced(at, 1).join(' '),
  });
  return (
    <ul class="active" aria-label="Active filters">
      {parts.map((words, at) => (
        <li>
          <span class="mono">{words}</span>
          <a href={links.list(without(at))} aria-label={`Remove the filter ${words}`}>
            ×
          </a>
        </li>
      ))}
    </ul>
  );
}
