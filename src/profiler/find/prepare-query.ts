import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import type { StoreSearch } from '../model/profile-store.js';
import type { ColumnFact, SegmentFacts } from '../model/segment-facts.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { ownValue } from './own-value.js';

/** A condition on columns of the summary, ready to be asked row by row. */
export interface Condition extends Required<ProfileCondition> {
  /** Whether the test is passed by this value of one of the columns; null where a row has none. */
  readonly passes: Test;
  /** Keys of rows that do not pass, whatever their columns say. */
  readonly fails: ReadonlySet<number> | undefined;
}

type Test = (value: ColumnValue) => boolean;
type Asked = Pick<StoreSearch, 'thrownLate'> & {
  readonly query: { readonly where?: readonly ProfileCondition[] };
};

/** The conditions of a query. What was thrown late has an error class, although its column says that it has none. */
export function prepareQuery({ query, thrownLate }: Asked): readonly Condition[] {
  return (query.where ?? []).map(({ columns, test, isNegated = false }) => {
    const isOfErrors = test.kind === 'missing' && columns.includes('errorClass');
    const fails = isOfErrors && thrownLate !== undefined && thrownLate.size > 0 ? thrownLate : undefined;
    return { columns, test, passes: testOf(test), isNegated, fails };
  });
}

/** Whether a segment with these facts may hold a row that meets all conditions. */
export function mayMatch(conditions: readonly Condition[], facts: SegmentFacts): boolean {
  return conditions.every((condition) => {
    const { columns, isNegated, fails } = condition;
    if (fails !== undefined && isNegated) return true;
    // A row is met by the absence of all of several columns: nothing is known of that.
    if (isNegated && columns.length > 1) return true;
    return columns.some((name) => mayHold(ownValue(facts, name), condition));
  });
}

/** Whether it is certain that all rows of a segment with these facts meet all conditions. */
export function mustMatch(conditions: readonly Condition[], facts: SegmentFacts): boolean {
  return conditions.every((condition) => {
    const { columns, isNegated, fails } = condition;
    if (columns.length > 1 || fails !== undefined) return false;
    return columns.every((name) => !mayHold(ownValue(facts, name), { ...condition, isNegated: !isNegated }));
  });
}

/** When a request must have begun to meet the conditions, in whole milliseconds around them; for passing over segments. */
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

/** Whether a segment with this fact about a column may have a value in it that passes the test, or (turned round) one that does not. */
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
