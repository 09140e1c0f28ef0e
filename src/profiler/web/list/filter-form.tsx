import type { VNode } from 'preact';
import { type FilterProblem, LIMITS, type ListFilters } from './list-filters.js';
import type { ProfilerLinks } from '../site/links.js';

const METHOD_WORDS: readonly (readonly [value: string, words: string])[] = [
  ['', 'any'],
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, method] as const),
];
const LIMIT_WORDS: readonly (readonly [value: string, words: string])[] = LIMITS.map((limit, index) => [
  index === 0 ? '' : String(limit),
  String(limit),
]);
const PERIOD_WORDS: readonly (readonly [value: string, words: string])[] = [
  ['', 'any time'],
  ['5m', 'last 5 minutes'],
  ['1h', 'last hour'],
  ['1d', 'last day'],
];

export interface FilterFormProps {
  readonly filters: ListFilters;
  readonly problems: readonly FilterProblem[];
  readonly links: ProfilerLinks;
}

/**
 * The filters as a plain GET form, so that a filtered list is a URL that can be sent to somebody. What a filter cannot
 * take stays in its field, with the reason beside it. On a narrow window the form is folded until it is used.
 */
export function FilterForm({ filters, problems, links }: FilterFormProps): VNode {
  const isUsed = Object.entries(filters).some(([name, value]) => value !== '' && !UNSEEN.has(name));
  return (
    <details class="filter-fold" open={isUsed || problems.length > 0}>
      <summary>Filters</summary>
      <form class="filter-form" method="get" action={links.list()} aria-label="Filters">
        <Problems problems={problems.filter(({ name }) => !FIELDS.has(name))} />
        <Fields filters={filters} problems={problems} />
        {filters.own === '1' && <input type="hidden" name="own" value="1" />}
        <span class="actions">
          <button class="button primary" type="submit">
            Filter
          </button>
          <a class="button" href={links.list({ own: filters.own === '1' ? '1' : '' })}>
            Reset
          </a>
        </span>
      </form>
    </details>
  );
}

/** Parameters with a field of their own, and those that are no filters of a reader's. */
const FIELDS: ReadonlySet<string> = new Set(['url', 'method', 'status', 'route', 'ip', 'within', 'limit']);
const UNSEEN: ReadonlySet<string> = new Set(['own', 'before']);

function Fields({ filters, problems }: Pick<FilterFormProps, 'filters' | 'problems'>): VNode {
  const field = { filters, problems };
  return (
    <>
      <TextField {...field} name="url" label="URL contains" look="wide" title="“!” in front excludes" />
      <SelectField {...field} name="method" label="Method" options={METHOD_WORDS} />
      <TextField {...field} name="status" label="Status" look="tiny" placeholder="4xx" />
      <TextField {...field} name="route" label="Route" look="small" placeholder="home_*" />
      <TextField {...field} name="ip" label="Client address" look="small" />
      <SelectField {...field} name="within" label="When" options={PERIOD_WORDS} />
      <SelectField {...field} name="limit" label="Rows" options={LIMIT_WORDS} />
      <Check name="thrown" words="Only with exceptions" checked={filters.thrown === '1'} />
    </>
  );
}

type FieldProps = Pick<FilterFormProps, 'filters' | 'problems'> & {
  readonly name: keyof ListFilters;
  readonly label: string;
};

function TextField(
  props: FieldProps & { readonly look: string; readonly placeholder?: string; readonly title?: string },
): VNode {
  const { filters, problems, name, label, look, placeholder, title } = props;
  return (
    <label class={look} title={title}>
      {label}
      <input
        name={name}
        type={name === 'url' ? 'search' : 'text'}
        value={filters[name]}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        {...refusal(problems, name)}
      />
      <Refused problems={problems} name={name} />
    </label>
  );
}

function SelectField(
  props: FieldProps & { readonly options: readonly (readonly [value: string, words: string])[] },
): VNode {
  const { filters, problems, name, label, options } = props;
  const chosen = filters[name];
  const isOther = !options.some(([value]) => value === chosen);
  return (
    <label>
      {label}
      <select name={name} {...refusal(problems, name)}>
        {[...options, ...(isOther ? [[chosen, chosen] as const] : [])].map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
      <Refused problems={problems} name={name} />
    </label>
  );
}

/** Says to those who listen that a field was refused, and where the reason stands. */
function refusal(problems: readonly FilterProblem[], name: string): Readonly<Record<string, string>> {
  if (!problems.some((problem) => problem.name === name)) return {};
  return { 'aria-invalid': 'true', 'aria-describedby': `refused-${name}` };
}

function Refused({ problems, name }: { problems: readonly FilterProblem[]; name: string }): VNode | null {
  const words = problems.filter((problem) => problem.name === name).map((problem) => problem.words);
  if (words.length === 0) return null;
  return (
    <span class="refused" id={`refused-${name}`}>
      {words.join(' ')}
    </span>
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
function Check({ name, words, checked }: { name: string; words: string; checked: boolean }): VNode {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="1" checked={checked} />
      {words}
    </label>
  );
}
