import type { Retention } from '../../model/profile-store.js';
import type { PruneReason } from '../../model/record-lookup.js';

/** Default bounds, meant for a week of one developer's work. */
export const defaultRetention: Retention = {
  records: 20_000,
  ageMs: 7 * 24 * 60 * 60 * 1000,
  bytes: 256 * 1024 * 1024,
  profilerRecords: 100,
};

const reasons = ['count', 'age', 'bytes', 'purge'] as const;

/** Builds an object with one value for each reason for pruning. */
export function byReason<Value>(valueOf: (reason: PruneReason) => Value): Record<PruneReason, Value> {
  const [count, age, bytes, purge] = reasons.map(valueOf) as [Value, Value, Value, Value]; // one value for each reason
  return { count, age, bytes, purge };
}

export function emptyReasonCounts(): Record<PruneReason, number> {
  return byReason(() => 0);
}

export function isPruneReason(value: unknown): value is PruneReason {
  return reasons.some((reason) => reason === value);
}
