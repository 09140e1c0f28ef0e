import type { VNode } from 'preact';
import {
  fieldFilters,
  type FilterProblem,
  type ListFilters,
  pageLimits,
  type ParsedFilters,
} from './list-filters.js';
import type { ProfilerLinks } from '../site/links.js';
import { say } from '#phrases';

type Choice = readonly [value: string, words: string];

const methodWords = 'GET POST PUT PATCH DELETE'.split(' ').map((method): Choice => [method, method]);
const limitWords = pageLimits.map((limit, at): Choice => [at === 0 ? '' : String(limit), String(limit)]);
const sortWords: readonly Choice[] = [
  ['', 'newest'],
  ['duration', 'time'],
  ['queries', 'queries'],
  ['status', 'status'],
  ['started', 'start'],
];
export interface FilterFormProps {
  readonly filters: ListFilters;
  readonly problems: readonly FilterProblem[];
  readonly links: ProfilerLinks;
}

/**
 * The filters as a plain GET form, so that a filtered list has a URL that can be shared. Invalid text stays in its field,
 * with the reason next to it. The form is folded, since the search field and the links of rows do the same.
 */
export function FilterForm({ filters, problems, links }: FilterFormProps): VNode {
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
        <TextField {...{ filters, problems }} name="q" label="Search" look="wide" />
        <span class="actions">
          <button class="button primary" type="submit">
            Filter
          </button>
          <a class="button" href={links.list({ own: filters.own === '1' ? '1' : '' })}>
            Reset
          </a>
        </span>
        <Fields filters={filters} problems={problems} />
        {filters.own === '1' && <input type="hidden" name="own" value="1" />}
      </form>
    </details>
  );
}

function Fields({ filters, problems }: Pick<FilterFormProps, 'filters' | 'problems'>): VNode {
  const field = { filters, problems };
  return (
    <>
      <SelectField {...field} name="method" label="Method" options={[['', 'any'], ...methodWords]} />
      <TextField {...field} name="status" label="Status" look="tiny" placeholder="4xx" />
      <TextField {...field} name="duration" label="Duration" look="tiny" placeholder=">200ms" />
      <TextField {...field} name="route" label="Route" look="small" />
      <TextField {...field} name="user" label="User" look="small" />
      <TextField {...field} name="has" label="Has" look="tiny" placeholder="error" />
      <TextField {...field} name="error" label="Error" look="small" />
      <TextField {...field} name="ip" label="Client address" look="small" />
      <TextField {...field} name="from" label="From" look="small" />
      <TextField {...field} name="to" label="Until" look="small" />
      <SelectField {...field} name="sort" label="Sort by" options={sortWords} />
      <SelectField {...field} name="limit" label="Rows" options={limitWords} />
    </>
  );
}

type FieldProps = Pick<FilterFormProps, 'filters' | 'problems'> & {
  readonly name: keyof ListFilters;
  readonly label: string;
};

function TextField(props: FieldProps & { readonly look: string; readonly placeholder?: string }): VNode {
  const { filters, problems, name, label, look, placeholder } = props;
  return (
    <label class={look}>
      {label}
      <input
        name={name}
        type={name === 'q' ? 'search' : 'text'}
        value={filters[name]}
        placeholder={placeholder}
        list={name === 'q' ? 'query-parts' : undefined}
        {...invalidFieldAttributes(problems, name)}
      />
      <FieldProblems problems={problems} name={name} />
      <MarkedText problems={problems} name={name} text={filters[name]} />
    </label>
  );
}

function SelectField(props: FieldProps & { readonly options: readonly Choice[] }): VNode {
  const { filters, problems, name, label, options } = props;
  const chosen = filters[name];
  const isOther = !options.some(([value]) => value === chosen);
  return (
    <label>
      {label}
      <select name={name} {...invalidFieldAttributes(problems, name)}>
        {[...options, ...(isOther ? [[chosen, chosen] as const] : [])].map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
      <FieldProblems problems={problems} name={name} />
    </label>
  );
}

/** Returns ARIA attributes that mark a field as invalid and refer to the reason. */
function invalidFieldAttributes(
  problems: readonly FilterProblem[],
  name: string,
): Readonly<Record<string, string>> {
  if (!problems.some((problem) => problem.name === name)) return {};
  return { 'aria-invalid': 'true', 'aria-describedby': `refused-${name}` };
}

function FieldProblems({
  problems,
  name,
}: {
  problems: readonly FilterProblem[];
  name: string;
}): VNode | null {
  const words = problems.filter((problem) => problem.name === name).map((problem) => problem.words);
  if (words.length === 0) return null;
  return (
    <span class="refused" id={`refused-${name}`}>
      {words.join(' ')}
    </span>
  );
}

/** The text of a filter, with the parts marked that could not be parsed. */
function MarkedText(props: { problems: readonly FilterProblem[]; name: string; text: string }): VNode | null {
  const { name, text } = props;
  const marked: (VNode | string)[] = [];
  let end = 0;
  for (const problem of props.problems) {
    const { from, to } = problem;
    if (problem.name !== name || from === undefined || to === undefined || from < end) continue;
    marked.push(text.slice(end, from), <mark>{text.slice(from, to)}</mark>);
    end = to;
  }
  return end === 0 ? null : (
    <code class="refused places">
      {marked}
      {text.slice(end)}
    </code>
  );
}

/** Why nothing was searched for: each filter that cannot be applied, and the text with its wrong parts marked. */
export function RefusedFilters({ filters, problems, links }: FilterFormProps): VNode {
  return (
    <div class="note note-error" role="alert">
      <p>
        {say(
          'Nothing was searched for: {n} filter cannot be applied.|Nothing was searched for: {n} filters cannot be applied.',
          { n: problems.length },
        )}{' '}
        <a href={links.list()}>Show all requests</a>
      </p>
      <MarkedText problems={problems} name="q" text={filters.q} />
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

/** The active filters: a chip for each field and each term of the query, with a link that removes it. */
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
    <ul class="active" aria-label="Active filters">
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
