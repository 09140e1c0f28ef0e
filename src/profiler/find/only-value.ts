import type { ColumnValue } from '../form/summary-columns.js';
import type { SegmentFacts } from '../model/segment-facts.js';
import { ownValue } from './own-value.js';

/** Returns the value that all rows have in a column; undefined if the facts do not show that there is only one. */
export function onlyValue(facts: SegmentFacts, name: string): ColumnValue | undefined {
  const fact = ownValue(facts, name);
  if (fact === undefined) return undefined;
  const value = 'values' in fact ? fact.values[0] : fact.least;
  const isOnly = 'values' in fact ? fact.values.length === 1 : fact.least === fact.greatest;
  // Facts hold numbers as measured; columns may hold them rounded, except for non-negative integers.
  const isExact = typeof value !== 'number' || (Number.isSafeInteger(value) && value >= 0);
  return isOnly && isExact ? value : undefined;
}
