import type { ProcessAccount } from '../../model/profile-store.js';
import { byReason } from './retention.js';

/** Builds the account of a process's records from its row. */
export function toAccount(
  valueOf: (name: string) => unknown,
  state: ProcessAccount['state'],
): ProcessAccount {
  const number = (name: string): number => Number(valueOf(name));
  const pruned = Object.values(byReason((reason) => number(`pruned_${reason}`)));
  return {
    host: String(valueOf('host')),
    pid: number('number'),
    version: String(valueOf('version')),
    startedAt: number('started_at'),
    seenAt: number('seen'),
    state,
    made: number('made'),
    dropped: number('dropped'),
    pending: number('pending'),
    stored: number('stored'),
    pruned: pruned.reduce((sum, count) => sum + count, 0),
  };
}
