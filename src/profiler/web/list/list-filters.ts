import type { CollectedField } from '../../model/section-part.js';
import type { ProfileCondition, ProfileQuery, ProfileSort } from '../../model/profile-query.js';
import { parseFieldValue, parseQuery, type QueryTerm } from '../../query/parse-query.js';
import { findQueryField, queryFields } from '../../query/query-fields.js';
import { say } from '#phrases';

/** Parameters that correspond to a field of the query language, with the name of that field. */
const filterFields = {
  status: 'status',
  method: 'method',
  route: 'route',
  user: 'user',
  duration: 'duration',
  has: 'has',
  error: 'error',
  ip: 'ip',
  from: 'after',
  to: 'before',
} as const;
export type FieldFilter = keyof typeof filterFields;
export const fieldFilters: readonly FieldFilter[] = Object.keys(filterFields) as FieldFilter[]; // Object.keys returns string[]

/** The filters of the list as given in its URL. An empty string filters nothing. */
export interface ListFilters extends Readonly<Record<FieldFilter, string>> {
  /** A query in the syntax of `parseQuery`. */
  readonly q: string;
  /** Numeric field to sort by, largest first: `duration`, `started`; with the prefix `-`, smallest first. */
  readonly sort: string;
  /** `1` shows the profiler's own requests instead of the application's. */
  readonly own: string;
  /** `1` shows every request for an asset on a line of its own. */
  readonly assets: string;
  readonly limit: string;
  /** Cursor: the page starts after it. */
  readonly page: string;
}

/** A filter that cannot be applied: name of the parameter, explanation, and for `q` the offsets of the invalid part. */
export interface FilterProblem {
  readonly name: string;
  readonly words: string;
  readonly from?: number;
  readonly to?: number;
}

/** The filters, the query conditions parsed from them, and the problems found. */
export interface ParsedFilters {
  readonly filters: ListFilters;
  readonly where: readonly ProfileCondition[];
  /** The terms of `q`. */
  readonly terms: readonly QueryTerm[];
  readonly sort: ProfileSort | undefined;
  readonly problems: readonly FilterProblem[];
}

/** Page sizes that the form offers; any number up to the last one is accepted. */
export const pageLimits: readonly number[] = [50, 100, 200, 500];
const maxRows = 500;
const maxTextLength = 300;
const maxQueryLength = 2000;
const maxProblems = 20;

/** The other parameters: the pattern of each, and its description. */
const filterRules: Readonly<
  Record<'own' | 'assets' | 'limit' | 'page', readonly [pattern: RegExp, takes: string]>
> = {
  own: [/^1$/, 'the number 1'],
  assets: [/^1$/, 'the number 1'],
  limit: [/^[1-9]\d{0,2}$/, 'a number from 1 to 500'],
  page: [/^[\w.:~=-]{1,200}$/, 'the cursor of a link to older requests'],
};

/** Options of `parseListFilters`. */
interface FilterOptions {
  readonly now: number;
  readonly collected: readonly CollectedField[];
}

/**
 * Parses the filters of the URL. Nothing is ignored: invalid text, an unknown parameter and a repeated one are problems.
 * Invalid text stays in its filter, so that the reader can correct it.
 */
export function parseListFilters(query: URLSearchParams, options: FilterOptions): ParsedFilters {
  const problems: FilterProblem[] = [];
  const where: ProfileCondition[] = [];
  const read = (name: keyof ListFilters): string => {
    const text = (query.get(name) ?? '').trim();
    const longest = name === 'q' ? maxQueryLength : maxTextLength;
    if (text.length > longest)
      problems.push({ name, words: say('Longer than {n} characters.', { n: longest }) });
    return text.slice(0, longest);
  };
  const readField = (name: FieldFilter): string => {
    const text = read(name);
    if (text === '') return text;
    const parsed = parseFieldValue(filterFields[name], text, options);
    where.push(...parsed.where);
    for (const { words } of parsed.problems)
      problems.push({ name, words: `${say('“{text}” is not applicable.', { text })} ${words}` });
    return text;
  };
  const readRule = (name: keyof typeof filterRules): string => {
    const text = read(name);
    const [pattern, takes] = filterRules[name];
    const isInRange = name !== 'limit' || Number(text) <= maxRows;
    if (text !== '' && !(pattern.test(text) && isInRange))
      problems.push({
        name,
        words: `${say('“{text}” is not applicable.', { text })} ${say('Use {form}.', { form: takes })}`,
      });
    return text;
  };
  const fields = Object.fromEntries(fieldFilters.map((name) => [name, readField(name)])) as Record<
    FieldFilter,
    string
  >; // every field filter is present
  const [q, sort] = [read('q'), read('sort')];
  const parsed = parseQuery(q, options);
  const order = sort === '' ? undefined : parseSort(sort, options.collected);
  if (order === null)
    problems.push({
      name: 'sort',
      words: `${say('“{text}” is not applicable.', { text: sort })} ${say('Use {form}.', { form: 'started, status, duration or another number' })}`,
    });
  const filters = {
    ...fields,
    q,
    sort,
    own: readRule('own'),
    assets: readRule('assets'),
    limit: readRule('limit'),
    page: readRule('page'),
  };
  problems.push(...parsed.problems.map((problem) => ({ name: 'q', ...problem })));
  return {
    filters,
    where: [...where, ...parsed.where],
    terms: parsed.terms,
    sort: order ?? undefined,
    problems: [...problems, ...parameterProblems(query, filters)].slice(0, maxProblems),
  };
}

/** Converts the filters to a query of the profiler. */
export function listQuery({ filters, where, sort }: ParsedFilters): ProfileQuery {
  return {
    bucket: filters.own === '1' ? 'profiler' : 'app',
    where,
    limit: filters.limit === '' ? (pageLimits[0] ?? 50) : Number(filters.limit),
    ...(sort === undefined ? {} : { sort }),
    ...(filters.page === '' ? {} : { before: filters.page }),
  };
}

/** Parses `sort`; returns null if there is no such numeric field. */
function parseSort(text: string, collected: readonly CollectedField[]): ProfileSort | null {
  const isAscending = text.startsWith('-');
  const name = isAscending ? text.slice(1) : text;
  if (name === 'started') return { column: 'startedAt', isAscending };
  const field = findQueryField(name, queryFields(collected));
  const [column] = field?.columns ?? [];
  const isNumber = field?.kind === 'status' || field?.kind === 'count' || field?.kind === 'ms';
  return isNumber && column !== undefined ? { column, isAscending } : null;
}

function parameterProblems(query: URLSearchParams, filters: ListFilters): readonly FilterProblem[] {
  const names = [...query.keys()];
  return [...new Set(names)].flatMap((name) => {
    if (!Object.hasOwn(filters, name))
      return [{ name, words: say('There is no filter “{name}”.', { name: name.slice(0, 100) }) }];
    const isRepeated = names.indexOf(name) !== names.lastIndexOf(name);
    return isRepeated ? [{ name, words: 'Given more than once.' }] : [];
  });
}
