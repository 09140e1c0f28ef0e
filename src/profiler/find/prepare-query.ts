import type { StoreSearch } from '../model/profile-store.js';
import type { ColumnFact, SegmentFacts } from '../model/segment-facts.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { urlOf } from '../form/summary-reader.js';

/** A condition on one or two columns of the summary. */
export interface Condition {
  readonly columns: readonly string[];
  /** Whether a row with these values of the columns meets it. */
  readonly matches: (...values: readonly ColumnValue[]) => boolean;
  /** Keys of rows that meet it, or do not, whatever their columns say. */
  readonly known?: { readonly keys: ReadonlySet<number>; readonly meets: boolean };
  /** Whether a row of a segment with this fact about the first column may meet it; without it, any may. */
  readonly mayMatch?: (fact: ColumnFact) => boolean;
}

type Test = (value: ColumnValue) => boolean;

/** The conditions of a query; a text that is empty, or `!` alone, is none. */
export function prepareQuery({
  query,
  thrownLate,
}: Pick<StoreSearch, 'query' | 'thrownLate'>): readonly Condition[] {
  const { start, end, exception } = query;
  return [
    ...textCondition('method', query.method, methodTest),
    ...textCondition('status', query.status, statusTest),
    ...textCondition('clientAddress', query.ip, (wanted) => (value) => textOf(value).includes(wanted)),
    ...textCondition('route', query.route, routeTest),
    ...urlCondition(query.url),
    ...(start === undefined ? [] : [plain('startedAt', (value) => Number(value) >= start)]),
    ...(end === undefined ? [] : [plain('startedAt', (value) => Number(value) <= end)]),
    ...(exception === undefined ? [] : [exceptionCondition({ isThrown: exception, late: thrownLate })]),
  ];
}

/** By the class, which is a word, so that segments without errors are passed over. */
function exceptionCondition({
  isThrown,
  late,
}: {
  readonly isThrown: boolean;
  readonly late: ReadonlySet<number> | undefined;
}): Condition {
  const matches: Test = (value) => (value !== null) === isThrown;
  if (late === undefined || late.size === 0) return byValues('errorClass', matches);
  return { ...plain('errorClass', matches), known: { keys: late, meets: isThrown } };
}

/** Whether a segment with these facts may hold a row that meets all conditions. */
export function mayMatch(conditions: readonly Condition[], facts: SegmentFacts): boolean {
  return conditions.every(({ columns: [name = ''], mayMatch: test }) => {
    const fact = facts[name];
    return fact === undefined || test === undefined || test(fact);
  });
}

function textCondition(
  column: string,
  text: string | undefined,
  testOf: (wanted: string) => Test,
): readonly Condition[] {
  const parsed = parse(text);
  if (parsed === undefined) return [];
  const test = testOf(parsed.wanted);
  return [byValues(column, parsed.isNegated ? (value) => !test(value) : test)];
}

function urlCondition(text: string | undefined): readonly Condition[] {
  const parsed = parse(text);
  if (parsed === undefined) return [];
  const wanted = parsed.wanted.toLowerCase();
  return [
    {
      columns: ['target', 'origin'],
      matches: (target = null, origin = null) =>
        urlOf(textOf(origin), textOf(target)).toLowerCase().includes(wanted) !== parsed.isNegated,
    },
  ];
}

function plain(column: string, matches: Test): Condition {
  return { columns: [column], matches: (value = null) => matches(value) };
}

/** A condition that the distinct values of a column decide. */
function byValues(column: string, matches: Test): Condition {
  return {
    ...plain(column, matches),
    mayMatch(fact) {
      if ('values' in fact) return fact.values.some((value) => matches(value));
      return fact.least < fact.greatest || matches(fact.least);
    },
  };
}

function parse(text: string | undefined): { wanted: string; isNegated: boolean } | undefined {
  if (text === undefined || text === '' || text === '!') return undefined;
  const isNegated = text.startsWith('!');
  return { wanted: isNegated ? text.slice(1) : text, isNegated };
}

function methodTest(wanted: string): Test {
  const upper = wanted.toUpperCase();
  return (value) => textOf(value).toUpperCase() === upper;
}

/** A name, or with `*` at its end the beginning of one. */
function routeTest(wanted: string): Test {
  if (!wanted.endsWith('*')) return (value) => value === wanted;
  const start = wanted.slice(0, -1);
  return (value) => typeof value === 'string' && value.startsWith(start);
}

/** `404`, `4xx`, `40x`. */
function statusTest(wanted: string): Test {
  const digits = wanted.toLowerCase().replace(/x+$/, '');
  const isWhole = digits.length === wanted.length;
  return (value) => (isWhole ? String(value) === digits : value !== 0 && String(value).startsWith(digits));
}

function textOf(value: ColumnValue): string {
  return typeof value === 'string' ? value : '';
}
