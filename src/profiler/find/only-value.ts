import type { ColumnValue } from '../form/summary-columns.js';
import type { SegmentFacts } from '../model/segment-facts.js';

/** The value that all rows have in a column, where the facts show that there is one. */
export function onlyValue(facts: SegmentFacts, name: string): ColumnValue | undefined {
  const fact = facts[name];
  if (fact === undefined) return undefined;
  if ('values' in fact) return fact.values.length === 1 ? fact.values[0] : undefined;
  return fact.least === fact.greatest ? fact.least : undefined;
}
