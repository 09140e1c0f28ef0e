import type { CollectedField } from '../../sections/section.js';
import type { ProfileCondition, ProfileQuery, ProfileSort } from '../../model/profile-query.js';
import {
  formatTerm,
  parseQuery,
  parseSort,
  type QueryProblem,
  type QueryTerm,
} from '../../search/parse-query.js';
import { queryFields } from '../../search/query-fields.js';

type RuledFilter = 'sort' | 'own' | 'assets' | 'limit' | 'page';

/** The parameters other than `q`, each with its pattern and description. */
const filterRules: Readonly<Record<RuledFilter, readonly [pattern: RegExp, form: string]>> = {
  // Numeric field to sort by, largest first; smallest first with the prefix `-`.
  sort: [/^-?[\w.-]{1,100}$/, 'started, status, duration or another number'],
  // `1` shows the profiler's own requests instead of the application's.
  own: [/^1$/, 'the number 1'],
  // `1` shows each asset request on its own line.
  assets: [/^1$/, 'the number 1'],
  limit: [/^(?:[1-4]?\d{1,2}|500)$/, 'a number from 1 to 500'],
  // Cursor after which the page starts.
  page: [/^[\w.:~=-]{1,200}$/, 'the cursor of a link to older requests'],
};
const ruledFilters = Object.keys(filterRules) as RuledFilter[]; // Object.keys returns string[]

/** The filters of the list, as in its URL: `q` is a query in `parseQuery` syntax. Empty strings filter nothing. */
export type ListFilters = Readonly<Record<'q' | RuledFilter, string>>;

/** An invalid filter: parameter name, explanation, and for `q` the invalid part's offsets. */
export interface FilterProblem extends Partial<Pick<QueryProblem, 'from' | 'to'>> {
  readonly name: string;
  readonly words: string;
}

export interface ParsedFilters {
  readonly filters: ListFilters;
  readonly where: readonly ProfileCondition[];
  readonly terms: readonly QueryTerm[];
  readonly sort: ProfileSort | undefined;
  readonly problems: readonly FilterProblem[];
  /** Section numbers, which are also query fields. */
  readonly collected: readonly CollectedField[];
}

const defaultLimit = 50;
const maxProblems = 20;

/**
 * Parses the filters in the URL. A parameter named like a field becomes a term of `q`. Invalid and unknown parameters
 * are reported as problems.
 */
export function parseListFilters(
  query: URLSearchParams,
  options: { readonly now: number; readonly collected: readonly CollectedField[] },
): ParsedFilters {
  const problems: FilterProblem[] = [];
  const fields = new Set(queryFields(options.collected).map(({ name }) => name));
  const terms: string[] = [];
  for (const name of new Set(query.keys())) {
    if (fields.has(name)) terms.push(...query.getAll(name).map((text) => formTerm(name, text.trim())));
    else if (name !== 'q' && !Object.hasOwn(filterRules, name))
      problems.push({ name, words: `There is no filter “${name.slice(0, 100)}”.` });
    else if (query.getAll(name).length > 1) problems.push({ name, words: 'Given more than once.' });
  }
  const ruled = Object.fromEntries(
    ruledFilters.map((name) => [name, (query.get(name) ?? '').trim()]),
  ) as Record<RuledFilter, string>; // every one of them is present
  const q = [(query.get('q') ?? '').trim(), ...terms].filter((part) => part !== '').join(' ');
  const sort = parseSort(ruled.sort, options);
  for (const name of ruledFilters) {
    const text = ruled[name];
    const [pattern, form] = filterRules[name];
    if (text === '' || (pattern.test(text) && Number(text) !== 0 && (name !== 'sort' || sort !== undefined)))
      continue;
    problems.push({ name, words: `“${text}” is not applicable. Use ${form}.` });
  }
  const parsed = parseQuery(q, options);
  problems.push(...parsed.problems.map((problem) => ({ name: 'q', ...problem })));
  return {
    filters: { q, ...ruled },
    where: parsed.where,
    terms: parsed.terms,
    sort,
    problems: problems.slice(0, maxProblems),
    collected: options.collected,
  };
}

/** Converts a form field's value to a term: spaces need no quotation marks, and a leading `!` negates. */
function formTerm(field: string, text: string): string {
  const value = text.replace(/^!\s*/, '');
  if (value === '') return '';
  const isBare = value.includes('"') || !/\s|^\/\//.test(value);
  return `${value === text ? '' : '-'}${isBare ? `${field}:${value}` : formatTerm(field, value)}`;
}

/** Returns first-page filters with terms added to the query, replacing those of the same fields. */
export function withTerms({ filters, terms }: ParsedFilters, ...added: readonly string[]): ListFilters {
  const kept = terms.filter(({ field }) => !added.some((term) => term.startsWith(`${field}:`)));
  const parts = kept.map(({ from, to }) => filters.q.slice(from, to));
  return { ...filters, page: '', q: [...parts, ...added].join(' ') };
}

export function listQuery({ filters, where, sort }: ParsedFilters): ProfileQuery {
  return {
    origin: filters.own === '1' ? 'profiler' : 'app',
    where,
    limit: filters.limit === '' ? defaultLimit : Number(filters.limit),
    ...(sort === undefined ? {} : { sort }),
    ...(filters.page === '' ? {} : { before: filters.page }),
  };
}
