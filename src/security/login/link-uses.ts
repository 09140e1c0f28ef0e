/** Port: counts how often a link was used. Must count at once for all processes that share the links. */
export interface LinkUses {
  /** Counts one more use; false where the link had its `limit` already. It may be forgotten after `expiresAt` (ms since 1970). */
  take(id: string, limit: number, expiresAt: number): boolean | Promise<boolean>;
}

/** Uses counted in this process's memory; only links with a valid signature come here, so it cannot be filled. */
export function createMemoryLinkUses(): LinkUses {
  const counts = new Map<string, { used: number; expiresAt: number }>();
  return {
    take(id, limit, expiresAt) {
      const now = Date.now();
      for (const [other, count] of counts) {
        if (count.expiresAt > now) break; // the Map is in the order of first use, which is nearly that of their ends
        counts.delete(other);
      }
      const used = (counts.get(id)?.used ?? 0) + 1;
      counts.set(id, { used, expiresAt });
      return used <= limit;
    },
  };
}
