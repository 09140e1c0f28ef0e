import { securityErrors } from '../errors/error-codes.js';

/** An entry as it is read. */
export interface StoredEntry {
  readonly value: string;
  /** Milliseconds until it is over; more than 0. */
  readonly endsIn: number;
}

/** How an entry is put. */
export interface PutOptions {
  /** Milliseconds from now until it is over. */
  readonly lifetime: number;
  /** Puts it only over exactly this value, or, for `null`, only if there is no entry. Default: always. */
  readonly expected?: string | null;
  /** Entries of one group can be removed together. */
  readonly group?: string;
}

/** The result of requesting a place. */
export interface TakenPlace {
  readonly isTaken: boolean;
  /** Places of the count that stay taken until its end. */
  readonly kept: number;
  /** Milliseconds until the count is forgotten and another begins; at least 0. */
  readonly endsIn: number;
}

/**
 * Port: a key-value store whose entries expire, shared by all processes that open it. Sessions and their locks,
 * remembered logins, login attempts and uses of links are stored in it. Each method is atomic; an expired entry does
 * not exist for any of them. All times are durations, measured by the store's own clock. Keys are at most 200
 * characters and contain hashes if they identify a secret or a person. Contract suite: `checkExpiringStore`.
 */
export interface ExpiringStore {
  readonly name: string;
  get(key: string): StoredEntry | undefined | Promise<StoredEntry | undefined>;
  /** False where `expected` does not hold: nothing was changed. */
  put(key: string, value: string, options: PutOptions): boolean | Promise<boolean>;
  /** Removes an entry, with `expected` only if it has this value; returns false if nothing was removed. */
  remove(key: string, expected?: string): boolean | Promise<boolean>;
  /** Moves the end of an entry to `lifetime` milliseconds from now and leaves its value alone. Makes no entry. */
  extend(key: string, lifetime: number): void | Promise<void>;
  removeGroup(group: string): void | Promise<void>;
  /**
   * Increments a count: takes one of the `limit` (at least one) places of a key, or none when all are taken. The count
   * begins with the first place and is forgotten `lifetime` milliseconds later, whatever was taken meanwhile. For a
   * rate limit this is all there is to do; where the outcome decides, `settle` follows.
   */
  take(key: string, limit: number, lifetime: number): TakenPlace | Promise<TakenPlace>;
  /**
   * Settles a place that was taken: `keep` leaves it taken until the count's end, `free` gives it back, `clear` gives it
   * back with all that are kept. Does nothing where the count is over; a place never settled is taken until then.
   */
  settle(key: string, how: 'keep' | 'free' | 'clear'): void | Promise<void>;
}

export interface StoreOptions {
  /** Beginning of the names of the table or keys: letters, digits and underscores. Default `lookback`. */
  readonly prefix?: string;
}

/**
 * A name that is put into SQL or a key: throws `SECURITY_STORE_NAME` unless it is letters, digits and underscores.
 * Everything else reaches a database as a parameter.
 */
export function checkStoreName(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(name))
    throw securityErrors.create('SECURITY_STORE_NAME', { name });
  return name;
}
