import type { Lease } from '../../model/profile-store.js';

/** Numbers to skip when a new store replaces a lost one, because other processes may have leased some. */
const skippedKeys = 65_536;

/** State from which a new store continues when it replaces a lost one. */
export interface TokenState {
  readonly secret: string;
  /** Lowest number that may be leased. */
  readonly next: number;
}

export function tokenStateOf({ secret, to }: Pick<Lease, 'secret' | 'to'>, before?: TokenState): TokenState {
  return { secret, next: Math.max(before?.next ?? 0, to + skippedKeys) };
}
