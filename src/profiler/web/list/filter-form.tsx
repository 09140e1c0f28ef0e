import type { VNode } from 'preact';
import type { CollectedField } from '../../model/section-part.js';
import { hasWords, queryFields } from '../../query/query-fields.js';
import {
  fieldFilters,
  type FilterProblem,
  type ListFilters,
  pageLimits,
  type ParsedFilters,
} from './list-filters.js';
import type { ProfilerLinks } from '../site/links.js';
import { say } from '../../words/say.js';
import type { SavedFilter } from '../../model/record-marks.js';
import { ActionForm } from '../blocks/action-form.js';

type Choice = readonly [value: string, words: string];

const methodWords = 'GET POST PUT PATCH DELETE'.split(' ').map((method): Choice => [method, method]);
const limitWords = pageLimits.map((limit, at): Choice => [at === 0 ? '' : String(limit), String(limit)]);
export interface FilterFormProps {
  readonly filters: ListFilters;
  readonly problems: readonly FilterProblem[];
  readonly links: ProfilerLinks;
  readonly collected: readonly CollectedField[];
}

/**
 * The filters as a plain GET form, so that a filtered list has a URL that can be shared. Invalid text stays in its field,
 * with the reason next to it. In narrow windows the form is folded until it is used.
 */
export function FilterForm({ filters, problems, links, collected }: FilterFormProps): VNode {
  const examples = queryFields(collected).map(({ example }) => example);
  const words = [...hasWords(collected).keys()].map((word) => `has:${word}`);
  const isUsed = Object.entries(filters).some(([name, value]) => value !== '' && !hiddenFields.has(name));
  return (
    <details class="filter-fold" open={isUsed || problems.length > 0}>
      <summary>{say('Filters')}</summary>
      <form
        class="filter-form"
        method="get"
        action={links.list()}
        aria-label={say('Filters')}
        autocomplete="off"
        spellcheck={false}
      >
        <Problems problems={problems.filter(({ name }) => !formFields.has(name))} />
        <TextField
          {...{ filters, problems }}
          name="q"
          label={say('Search')}
          look="wide"
          placeholder={queryHint}
        />
        <span class="actions">
          <button class="button primary" type="submit">
            {say('Filter')}
          </button>
          <a class="button" href={links.list({ own: filters.own === '1' ? '1' : '' })}>
            {say('Reset')}
          </a>
        </span>
        <Fields filters={filters} problems={problems} />
        <datalist id="query-parts">
          {[...new Set([...examples, ...words])].map((example) => (
            <option value={example} />
          ))}
        </datalist>
        {filters.sort !== '' && <input type="hidden" name="sort" value={filters.sort} />}
        {filters.own === '1' && <input type="hidden" name="own" value="1" />}
      </form>
    </details>
  );
}

/** Example of the query language. */
const queryHint = 'status:>=500 time:>200ms route:blog_* -path:/up "full text"';
/** Parameters with their own form field, and parameters that do not count as filters set by the reader. */
const formFields: ReadonlySet<string> = new Set(['q', 'limit', ...fieldFilters]);
const hiddenFields: ReadonlySet<string> = new Set(['own', 'page', 'sort']);

function Fields({ filters, problems }: Pick<FilterFormProps, 'filters' | 'problems'>): VNode {
  const field = { filters, problems };
  return (
    <>
      <SelectField
        {...field}
        name="method"
        label={say('Method')}
        options={[['', say('any')], ...methodWords]}
      />
      <TextField {...field} name="status" label={say('Status')} look="tiny" placeholder="4xx" />
      <TextField {...field} name="duration" label={say('Duration')} look="tiny" placeholder=">200ms" />
      <TextField {...field} name="route" label={say('Route')} look="small" />
      <TextField {...field} name="user" label={say('User')} look="small" />
      <TextField {...field} name="has" label={say('Has')} look="tiny" placeholder="error" />
      <TextField {...field} name="error" label={say('Error')} look="small" />
      <TextField {...field} name="ip" label={say('Client address')} look="small" />
      <TextField {...field} name="from" label={say('From')} look="small" />
      <TextField {...field} name="to" label={say('Until')} look="small" />
      <SelectField {...field} name="limit" label={say('Rows')} options={limitWords} />
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

function Problems({ problems }: { problems: readonly FilterProblem[] }): VNode | null {
  if (problems.length === 0) return null;
  return (
    <ul class="refused all">
      {problems.map(({ name, words }) => (
        <li>
          <code>{name.slice(0, 100)}</code>: {words}
        </li>
      ))}
    </ul>
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

/** Links to saved filters, and a form that saves the current ones. */
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
