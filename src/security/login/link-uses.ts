import type { CountStore } from '../counts/count-store.js';
import { createMemoryCountStore } from '../counts/memory-count-store.js';
import { hashToken } from '../secrets/random-token.js';

/** Port: counts how often a link was used. Must count at once for all processes that share the links. Contract suite: `checkLinkUses`. */
export interface LinkUses {
  /** Counts one more use; false where the link had its `limit` already. It may be forgotten after `expiresAt` (ms since 1970). */
  take(id: string, limit: number, expiresAt: number): boolean | Promise<boolean>;
}

/** A process whose clock is so far behind still takes a link for good when another's has ended it. */
const CLOCKS_DIFFER = 600_000;

/** Uses counted in a store, by default in this process's memory; only links with a valid signature come here, so it cannot be filled. */
export function createLinkUses(counts: CountStore = createMemoryCountStore({ limit: Infinity })): LinkUses {
  return {
    async take(id, limit, expiresAt) {
      if (limit < 1) return false;
      const lifetime = Math.max(0, expiresAt - Date.now()) + CLOCKS_DIFFER;
      return (await counts.take(hashToken(`link ${id}`), limit, lifetime)).isTaken;
    },
  };
}
