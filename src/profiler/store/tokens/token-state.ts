import type { Lease } from '../../model/profile-store.js';

/** Numbers passed over where a new store takes the place of a lost one: other processes may have leased some. */
const skippedKeys = 65_536;

/** What a new store goes on from when it takes the place of one that was lost. */
export interface TokenState {
  readonly secret: string;
  /** First number that may be leased. */
  readonly next: number;
}

export function tokenStateOf({ secret, to }: Pick<Lease, 'secret' | 'to'>, before?: TokenState): TokenState {
  return { secret, next: Math.max(before?.next ?? 0, to + skippedKeys) };
}
