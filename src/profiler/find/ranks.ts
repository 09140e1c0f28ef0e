import type { ProfileSort } from '../model/profile-query.js';
import type { StoredSummary } from '../model/profile-store.js';
import { ownValue } from './own-value.js';

/** Comparator: negative if `a` sorts before `b`. */
export function compareRanks(
  { isAscending }: ProfileSort,
  a: { readonly value: number; readonly key: number },
  b: { readonly value: number; readonly key: number },
): number {
  return (isAscending ? a.value - b.value : b.value - a.value) || b.key - a.key;
}

/** Returns the value of a numeric column in a summary; 0 if it is missing. */
export function sortValue(row: StoredSummary, column: string): number {
  const value: unknown = Object.entries(row).find(([name]) => name === column)?.[1];
  return Number((typeof value === 'number' ? value : ownValue(row.collected, column)) ?? 0);
}
