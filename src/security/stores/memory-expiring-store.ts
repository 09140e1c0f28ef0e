import type { ExpiringStore } from './expiring-store.js';

export interface MemoryStoreOptions {
  /** Maximum number of entries; beyond it, the least recently written one is discarded. Default 100,000. */
  readonly limit?: number;
}

interface Entry {
  readonly value: string;
  readonly group: string | undefined;
  kept: number;
  pending: number;
  /** Expiry time on the monotonic clock of the process. */
  readonly endsAt: number;
}

/** Milliseconds until expiry, rounded: the floating-point result of `now + lifetime - now` may exceed the lifetime. */
const remaining = ({ endsAt }: Entry, now: number): number => Math.round(endsAt - now);

/** Creates a store in the memory of this process. Entries are lost with the process and not shared with others. */
export function createMemoryExpiringStore(options: MemoryStoreOptions = {}): ExpiringStore {
  const limit = options.limit ?? 100_000;
  const entries = new Map<string, Entry>(); // least recently written first

  function find(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.endsAt > performance.now()) return entry;
    entries.delete(key);
    return undefined;
  }

  /** Writes an entry, then discards the oldest entries while they are expired or the limit is exceeded. */
  function write(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    const now = performance.now();
    for (const [oldest, { endsAt }] of entries) {
      if (endsAt > now && entries.size <= limit) return;
      entries.delete(oldest);
    }
  }

  return {
    name: 'memory',
    get(key) {
      const entry = find(key);
      return entry && { value: entry.value, endsIn: remaining(entry, performance.now()) };
    },
    put(key, value, { lifetime, expected, group }) {
      if (expected !== undefined && (find(key)?.value ?? null) !== expected) return false;
      write(key, { value, group, kept: 0, pending: 0, endsAt: performance.now() + lifetime });
      return true;
    },
    remove(key, expected) {
      const entry = find(key);
      if (entry === undefined || (expected !== undefined && entry.value !== expected)) return false;
      return entries.delete(key);
    },
    extend(key, lifetime) {
      const entry = find(key);
      if (entry !== undefined) write(key, { ...entry, endsAt: performance.now() + lifetime });
    },
    removeGroup(group) {
      for (const [key, entry] of entries) if (entry.group === group) entries.delete(key);
    },
    take(key, places, lifetime) {
      const now = performance.now();
      const entry = find(key) ?? { value: '', group: undefined, kept: 0, pending: 0, endsAt: now + lifetime };
      write(key, entry);
      const isTaken = entry.kept + entry.pending < places;
      if (isTaken) entry.pending++;
      return { isTaken, kept: entry.kept, endsIn: remaining(entry, now) };
    },
    settle(key, how) {
      const entry = find(key);
      if (entry === undefined) return;
      entry.pending = Math.max(0, entry.pending - 1);
      if (how === 'keep') entry.kept++;
      if (how === 'clear') entry.kept = 0;
    },
  };
}

/**
 * Returns a function that chooses the given store, otherwise the shared store, otherwise an own one in memory, created on
 * first use.
 */
export function chooseStore(
  given: ExpiringStore | undefined,
): (shared: ExpiringStore | undefined) => ExpiringStore {
  let own: ExpiringStore | undefined;
  return (shared) => given ?? shared ?? (own ??= createMemoryExpiringStore({ limit: Infinity }));
}
