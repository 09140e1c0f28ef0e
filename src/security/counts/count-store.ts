/** What came of asking for a place. */
export interface TakenPlace {
  readonly isTaken: boolean;
  /** Places of the count that stay taken until its end. */
  readonly kept: number;
  /** Milliseconds until the count is forgotten and another begins; at least 0. */
  readonly endsIn: number;
}

/**
 * Port: counts with a few places each, which all processes that share the store take together. A count begins with
 * the first place taken and is forgotten `lifetime` later, whatever was taken meanwhile. Keys are hashes: reading a
 * store names nobody. Contract suite: `checkCountStore`.
 */
export interface CountStore {
  readonly name: string;
  /** Takes one of the `limit` (at least one) places of a key, or none. `lifetime`: milliseconds, where a count begins. */
  take(key: string, limit: number, lifetime: number): TakenPlace | Promise<TakenPlace>;
  /**
   * Settles a place that was taken: `keep` leaves it taken until the count's end, `free` gives it back, `clear` gives it
   * back with all that are kept. Does nothing where the count is over; a place never settled is taken until then.
   */
  settle(key: string, how: 'keep' | 'free' | 'clear'): void | Promise<void>;
}
