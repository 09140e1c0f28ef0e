import type { ProfileSort } from '../model/profile-query.js';
import type { StoredSummary } from '../model/profile-store.js';
import { ownValue } from './own-value.js';

/** Below 0 where `a` stands in front of `b`. */
export function compareRanks(
  { isAscending }: ProfileSort,
  a: { readonly value: number; readonly key: number },
  b: { readonly value: number; readonly key: number },
): number {
  return (isAscending ? a.value - b.value : b.value - a.value) || b.key - a.key;
}

/** The value of a column of numbers in a summary. */
export function sortValue(row: StoredSummary, column: string): number {
  const value: unknown = Object.entries(row).find(([name]) => name === column)?.[1];
  return Number((typeof value === 'number' ? value : ownValue(row.collected, column)) ?? 0);
}
