import type { ColumnValue } from '../form/summary-columns.js';
import type { SegmentFacts } from '../model/segment-facts.js';
import { ownValue } from './own-value.js';

/** The value that all rows have in a column, where the facts show that there is one. */
export function onlyValue(facts: SegmentFacts, name: string): ColumnValue | undefined {
  const fact = ownValue(facts, name);
  if (fact === undefined) return undefined;
  const value = 'values' in fact ? fact.values[0] : fact.least;
  const isOnly = 'values' in fact ? fact.values.length === 1 : fact.least === fact.greatest;
  // Facts know times as they were measured, columns as they are written.
  const isExact = typeof value !== 'number' || (Number.isSafeInteger(value) && value >= 0);
  return isOnly && isExact ? value : undefined;
}
