import type { ExpiringStore } from './expiring-store.js';

export interface MemoryStoreOptions {
  /** Most entries kept; beyond it the one that was written longest ago is dropped. Default 100,000. */
  readonly limit?: number;
}

interface Entry {
  readonly value: string;
  readonly group: string | undefined;
  kept: number;
  pending: number;
  /** By the process's own clock, which never goes back. */
  readonly endsAt: number;
}

/** Whole milliseconds: `now + lifetime - now` may be a little more than the lifetime. */
const remaining = ({ endsAt }: Entry, now: number): number => Math.round(endsAt - now);

/** Entries in this process: gone with it, and not shared with others. */
export function createMemoryExpiringStore(options: MemoryStoreOptions = {}): ExpiringStore {
  const limit = options.limit ?? 100_000;
  const entries = new Map<string, Entry>(); // in the order of the last write

  function find(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.endsAt > performance.now()) return entry;
    entries.delete(key);
    return undefined;
  }

  /** Drops the oldest that are over, and those that are too many. */
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

/** The given store, else the one that processes share, else one of this process, made when it is needed. */
export function chooseStore(
  given: ExpiringStore | undefined,
): (shared: ExpiringStore | undefined) => ExpiringStore {
  let own: ExpiringStore | undefined;
  return (shared) => given ?? shared ?? (own ??= createMemoryExpiringStore({ limit: Infinity }));
}
