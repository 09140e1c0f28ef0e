import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import type { StoreSearch } from '../model/profile-store.js';
import type { ColumnFact, SegmentFacts } from '../model/segment-facts.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { ownValue } from './own-value.js';

/** A condition prepared for testing row by row. */
export interface Condition extends Required<ProfileCondition> {
  /** Returns whether a value of one of the columns passes the test; null stands for a missing value. */
  readonly passes: Test;
  /** Keys of rows that fail the test regardless of their columns. */
  readonly fails: ReadonlySet<number> | undefined;
}

type Test = (value: ColumnValue) => boolean;
type ConditionSource = Pick<StoreSearch, 'thrownLate'> & {
  readonly query: { readonly where?: readonly ProfileCondition[] };
};

/** Prepares the conditions of a query. Rows with a late error have an error class although their column is empty. */
export function prepareQuery({ query, thrownLate }: ConditionSource): readonly Condition[] {
  return (query.where ?? []).map(({ columns, test, isNegated = false }) => {
    const isOfErrors = test.kind === 'missing' && columns.includes('errorClass');
    const fails = isOfErrors && thrownLate !== undefined && thrownLate.size > 0 ? thrownLate : undefined;
    return { columns, test, passes: testOf(test), isNegated, fails };
  });
}

/** Returns whether a segment with these facts may contain a row that meets all conditions. */
export function mayMatch(conditions: readonly Condition[], facts: SegmentFacts): boolean {
  return conditions.every((condition) => {
    const { columns, isNegated, fails } = condition;
    if (fails !== undefined && isNegated) return true;
    // Negated, none of the columns may pass; the facts are not checked for that.
    if (isNegated && columns.length > 1) return true;
    return columns.some((name) => mayHold(ownValue(facts, name), condition));
  });
}

/** Returns whether it is certain that all rows of a segment with these facts meet all conditions. */
export function mustMatch(conditions: readonly Condition[], facts: SegmentFacts): boolean {
  return conditions.every((condition) => {
    const { columns, isNegated, fails } = condition;
    if (columns.length > 1 || fails !== undefined) return false;
    return columns.every((name) => !mayHold(ownValue(facts, name), { ...condition, isNegated: !isNegated }));
  });
}

/** Returns the range of start times that can meet the conditions, widened to whole milliseconds; used to skip segments. */
export function timeRange(where: readonly ProfileCondition[] = []): { least: number; most: number } {
  const range = { least: 0, most: Number.MAX_SAFE_INTEGER };
  for (const { columns, test, isNegated } of where) {
    if (columns.length !== 1 || columns[0] !== 'startedAt' || isNegated === true) continue;
    if (test.kind !== 'numbers') continue;
    range.least = Math.max(range.least, Math.floor(Math.min(...test.ranges.map(([least]) => least ?? 0))));
    range.most = Math.min(
      range.most,
      Math.ceil(Math.max(...test.ranges.map(([, most]) => most ?? range.most))),
    );
  }
  return range;
}

/** Returns whether a column with this fact may have a value that passes the test (if negated: one that fails it). */
function mayHold(fact: ColumnFact | undefined, { test, passes, isNegated }: Condition): boolean {
  if (fact === undefined) return true;
  if ('values' in fact) return fact.values.some((value) => passes(value) !== isNegated);
  const { least, greatest } = fact;
  if (test.kind !== 'numbers') return true;
  return isNegated
    ? !test.ranges.some(([from, to]) => (from ?? least) <= least && (to ?? greatest) >= greatest)
    : test.ranges.some(([from, to]) => (from ?? least) <= greatest && (to ?? greatest) >= least);
}

function testOf(test: ProfileTest): Test {
  switch (test.kind) {
    case 'missing':
      return (value) => value === null;
    case 'numbers':
      return numbersTest(test.ranges);
    case 'is':
      return textTest(test.texts, (value, text) => value === text);
    case 'starts':
      return textTest(test.texts, (value, text) => value.startsWith(text));
    case 'contains':
      return textTest(test.texts, (value, text) => value.includes(text));
  }
}

function numbersTest(ranges: Extract<ProfileTest, { kind: 'numbers' }>['ranges']): Test {
  const bounds = ranges.map(([least, most]) => [
    least ?? Number.NEGATIVE_INFINITY,
    most ?? Number.POSITIVE_INFINITY,
  ]);
  const [[only, end] = []] = bounds;
  if (bounds.length === 1 && only !== undefined && end !== undefined)
    return (value) => {
      const number = Number(value ?? 0);
      return number >= only && number <= end;
    };
  return (value) => {
    const number = Number(value ?? 0);
    return bounds.some(([least = 0, most = 0]) => number >= least && number <= most);
  };
}

function textTest(texts: readonly string[], compare: (value: string, text: string) => boolean): Test {
  const wanted = texts.map((text) => text.toLowerCase());
  return (value) => {
    if (value === null) return false;
    const lower = String(value).toLowerCase();
    return wanted.some((text) => compare(lower, text));
  };
}
