import type { CountStore } from './count-store.js';

export interface MemoryCountStoreOptions {
  /** Most counts kept; beyond it those that were asked for longest ago are dropped. Default 100,000. */
  readonly limit?: number;
}

interface Count {
  kept: number;
  pending: number;
  readonly endsAt: number;
}

/** Counts in this process: gone with it, and not shared with others. */
export function createMemoryCountStore(options: MemoryCountStoreOptions = {}): CountStore {
  const most = options.limit ?? 100_000;
  const counts = new Map<string, Count>(); // in the order of the last asking

  function living(key: string, now: number): Count | undefined {
    const count = counts.get(key);
    return count === undefined || count.endsAt <= now ? undefined : count;
  }

  /** Drops the oldest that are over, and one more where there are too many. */
  function sweep(now: number): void {
    for (const [key, { endsAt }] of counts) {
      if (endsAt > now && counts.size <= most) return;
      counts.delete(key);
    }
  }

  return {
    name: 'memory',
    take(key, limit, lifetime) {
      const now = performance.now();
      const count = living(key, now) ?? { kept: 0, pending: 0, endsAt: now + lifetime };
      counts.delete(key);
      counts.set(key, count);
      sweep(now);
      const isTaken = count.kept + count.pending < limit;
      if (isTaken) count.pending++;
      return { isTaken, kept: count.kept, endsIn: count.endsAt - now };
    },
    settle(key, how) {
      const count = living(key, performance.now());
      if (count === undefined) return;
      count.pending = Math.max(0, count.pending - 1);
      if (how === 'keep') count.kept++;
      if (how === 'clear') count.kept = 0;
    },
  };
}
