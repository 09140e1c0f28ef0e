import type { Retention } from '../../model/profile-store.js';
import type { PruneReason } from '../../model/record-lookup.js';

/** A week of a person's work. */
export const defaultRetention: Retention = {
  records: 20_000,
  ageMs: 7 * 24 * 60 * 60 * 1000,
  bytes: 256 * 1024 * 1024,
  profilerRecords: 100,
};

export function noneOfAnyReason(): Record<PruneReason, number> {
  return { count: 0, age: 0, bytes: 0, purge: 0 };
}
