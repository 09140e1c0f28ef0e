import {
  checkOptions,
  readOptions,
  number,
  objectWith,
  required,
  optionsSchema,
  type OptionsSchema,
  type OptionType,
  textWith,
  whole,
} from '#core/options';

/** An entry read from the store. */
export interface StoredEntry {
  readonly value: string;
  /** Milliseconds until the entry expires; more than 0. */
  readonly endsIn: number;
}

export interface PutOptions {
  /** Milliseconds from now until the entry expires. */
  readonly lifetime: number;
  /** Writes only if the stored value is exactly this, or, for `null`, if there is no entry. Default: always. */
  readonly expected?: string | null;
}

/** The `take` result: whether a slot in a counter was reserved. */
export interface TakenSlot {
  readonly isTaken: boolean;
  /** Number of slots that stay taken until the counter expires. */
  readonly kept: number;
  /** Milliseconds until the counter expires and a new one can start; at least 0. */
  readonly endsIn: number;
}

/**
 * Port: a key-value store whose entries expire, shared by all processes that open it. It stores sessions and their
 * locks, remembered logins, login attempts and uses of links. Each method is atomic and treats an expired entry as
 * absent. All times are durations, measured by the store's clock. Keys have at most 200 characters, and contain hashes
 * if they identify a secret or a person.
 */
export interface ExpiringStore {
  readonly name: string;
  get(key: string): StoredEntry | undefined | Promise<StoredEntry | undefined>;
  /** Writes an entry. Returns false, and changes nothing, if the stored value is not `expected`. */
  put(key: string, value: string, options: PutOptions): boolean | Promise<boolean>;
  /** Removes an entry; with `expected`, only if it has this value. Returns false if nothing was removed. */
  remove(key: string, expected?: string): boolean | Promise<boolean>;
  /** Makes an entry expire in `lifetime` milliseconds from now, without changing its value. Does not create an entry. */
  extend(key: string, lifetime: number): void | Promise<void>;
  /**
   * Increments a counter: takes one of a key's `limit` (at least one) slots, or none if all are taken. The counter starts with the first
   * slot and expires `lifetime` milliseconds later, however many are taken in the meantime. A rate limit needs only `take`; if the action's
   * outcome decides whether it counts, call `settle` afterwards.
   */
  take(key: string, limit: number, lifetime: number): TakenSlot | Promise<TakenSlot>;
  /**
   * Settles a taken slot: `keep` leaves it taken until the counter expires, `free` releases it, `clear` releases it
   * together with all kept slots. Does nothing if the counter has expired. A slot that is never settled stays taken
   * until then.
   */
  settle(key: string, how: 'keep' | 'free' | 'clear'): void | Promise<void>;
}

/** The type of options that are a store. */
export const expiringStore: OptionType<ExpiringStore> = objectWith(
  'an ExpiringStore',
  'get',
  'put',
  'remove',
  'extend',
  'take',
  'settle',
);

const lifetimeSchema = optionsSchema<{ readonly lifetime: number }>({
  lifetime: required(number({ orInfinity: true })),
});
const takeSchema = optionsSchema<{ readonly limit: number; readonly lifetime: number }>({
  limit: required(whole({ min: 1, orInfinity: true })),
  lifetime: required(number({ above: 0, orInfinity: true })),
});

/** Longest lifetime that can be set: a hundred years. Databases refuse much longer ones. */
export const longestSeconds = 3_155_760_000;

/** A lifetime as databases take it: whole milliseconds, at most a hundred years. */
export function wholeLifetime(lifetime: number): number {
  const longest = longestSeconds * 1000;
  return Math.max(-longest, Math.min(Math.ceil(lifetime), longest));
}

/** Throws `OPTIONS_BAD_VALUE` unless the lifetime is a number. One that is not positive has already ended. */
export function checkLifetime(method: 'put' | 'extend', lifetime: number): void {
  checkOptions(`${method}() of an ExpiringStore`, { lifetime }, lifetimeSchema);
}

/** Throws `OPTIONS_BAD_VALUE` for a limit or lifetime with which a counter would never be full. */
export function checkSlots(limit: number, lifetime: number): void {
  checkOptions('take() of an ExpiringStore', { limit, lifetime }, takeSchema);
}

export interface ExpiringStoreOptions {
  /** Prefix for the table name or keys: letters, digits and underscores. Default `lookback`. */
  readonly prefix?: string;
}

export const expiringStoreSchema: OptionsSchema<ExpiringStoreOptions> = optionsSchema<ExpiringStoreOptions>({
  prefix: textWith('a letter, then up to 39 letters, digits and underscores', (value) =>
    /^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(value),
  ),
});

/** Returns a prefix that is safe in SQL and keys; all other values are parameters. Throws `OPTIONS_BAD_VALUE`. */
export function prefixOf(place: string, options: ExpiringStoreOptions): string {
  return readOptions(place, options, expiringStoreSchema).prefix ?? 'lookback';
}

interface MemoryStoreOptions {
  /** Maximum number of entries; beyond it, the least recently written one is discarded. Default 100,000. */
  readonly limit?: number;
}

export const memoryStoreSchema: OptionsSchema<MemoryStoreOptions> = optionsSchema<MemoryStoreOptions>({
  limit: whole({ min: 1, orInfinity: true }),
});

interface Entry {
  readonly value: string;
  kept: number;
  pending: number;
  /** Expiry time on the process's monotonic clock. */
  readonly endsAt: number;
}

/** Milliseconds until expiry, rounded: the floating-point result of `now + lifetime - now` may exceed the lifetime. */
const remaining = ({ endsAt }: Entry, now: number): number => Math.round(endsAt - now);

/** Creates a store in this process's memory. Entries are lost with the process and not shared with others. */
export function createMemoryExpiringStore(options: MemoryStoreOptions = {}): ExpiringStore {
  checkOptions('createMemoryExpiringStore()', options, memoryStoreSchema);
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
    put(key, value, { lifetime, expected }) {
      checkLifetime('put', lifetime);
      if (expected !== undefined && (find(key)?.value ?? null) !== expected) return false;
      write(key, { value, kept: 0, pending: 0, endsAt: performance.now() + lifetime });
      return true;
    },
    remove(key, expected) {
      const entry = find(key);
      if (entry === undefined || (expected !== undefined && entry.value !== expected)) return false;
      return entries.delete(key);
    },
    extend(key, lifetime) {
      checkLifetime('extend', lifetime);
      const entry = find(key);
      if (entry !== undefined) write(key, { ...entry, endsAt: performance.now() + lifetime });
    },
    take(key, slots, lifetime) {
      checkSlots(slots, lifetime);
      const now = performance.now();
      const entry = find(key) ?? { value: '', kept: 0, pending: 0, endsAt: now + lifetime };
      write(key, entry);
      const isTaken = entry.kept + entry.pending < slots;
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
