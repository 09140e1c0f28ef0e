import { customerOf } from '#http';
import { hashToken } from '../secrets/random-token.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { createMemoryExpiringStore } from '../stores/memory-expiring-store.js';

export interface LoginThrottleOptions {
  /** Failed logins in the interval for one user from one address, or from unknown ones together. Default 5. */
  readonly perUser?: number;
  /** Failed logins in the interval from one address, whatever name it tries; unknown addresses are not counted. Default 25. */
  readonly perAddress?: number;
  /** Seconds. Default 60. */
  readonly interval?: number;
  /** Where tries are counted. Default: the session store where processes share it, else this process's memory. */
  readonly store?: ExpiringStore | undefined;
  /** Keeps throttles apart that count in one store. Default: the firewall's name. */
  readonly name?: string;
  /** Most names and addresses watched in memory; beyond it the oldest are forgotten. Default 100,000. */
  readonly limit?: number;
}

/** What came of a try: `unknown` where something else failed before the password was judged. */
export type TryOutcome = 'success' | 'failure' | 'unknown';

/** Port: slows guessing down. Contract suite: `checkLoginThrottle`. */
export interface LoginThrottle {
  /**
   * Takes a try before the password is checked: undefined allows it, a number is the seconds to wait. Tries
   * under way count too, so that many at once are no way around it; where they decide, the answer waits for them. Tries
   * from an unknown address (undefined) count for the user they name, and for no address.
   */
  take(identifier: string, address: string | undefined): number | undefined | Promise<number | undefined>;
  /** Called once for every try that was let happen. A success forgets the user's failures from this address. */
  settle(identifier: string, address: string | undefined, outcome: TryOutcome): void | Promise<void>;
}

/** How long a try waits for room before it is refused, and how often it looks whether another process made some. */
const maxWaitMs = 10_000;
const pollIntervalMs = 50;

/**
 * A throttle with fixed windows that begin at the first attempt. It counts in `options.store`; if the store fails, all
 * logins fail.
 */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  const { perUser = 5, perAddress = 25, interval = 60 } = options;
  const store = options.store ?? createMemoryExpiringStore({ limit: options.limit ?? 100_000 });
  const waiting = new Set<() => void>();
  const keysOf = (
    identifier: string,
    address: string | undefined,
  ): { user: string; from: string | undefined } => ({
    user: keyOf(options.name, userKey(identifier, address)),
    // All whose address is not known must not be counted as one.
    from: address === undefined ? undefined : keyOf(options.name, addressKey(address)),
  });

  /** Undefined where the try may happen, else the milliseconds until a window ends, or 0 where the tries under way decide. */
  async function tryOnce({
    user,
    from,
  }: {
    user: string;
    from: string | undefined;
  }): Promise<number | undefined> {
    const mine = await store.take(user, perUser, interval * 1000);
    if (!mine.isTaken) return mine.kept >= perUser ? mine.endsIn : 0;
    if (from === undefined) return undefined;
    const all = await store.take(from, perAddress, interval * 1000);
    if (all.isTaken) return undefined;
    await store.settle(user, 'free');
    return all.kept >= perAddress ? all.endsIn : 0;
  }

  return {
    async take(identifier, address) {
      const keys = keysOf(identifier, address);
      const until = performance.now() + maxWaitMs;
      for (;;) {
        const endsIn = await tryOnce(keys);
        if (endsIn === undefined) return undefined;
        if (endsIn > 0) return Math.max(1, Math.ceil(endsIn / 1000));
        if (performance.now() >= until) return 1;
        await untilSettled(waiting);
      }
    },
    async settle(identifier, address, outcome) {
      const { user, from } = keysOf(identifier, address);
      const other = outcome === 'failure' ? 'keep' : 'free';
      await Promise.all([
        store.settle(user, outcome === 'success' ? 'clear' : other),
        from === undefined ? undefined : store.settle(from, other),
      ]);
      for (const resume of waiting) resume();
    },
  };
}

/** Until a try of this process was settled, or it is time to look whether one of another process was. */
function untilSettled(waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const resume = (): void => {
      clearTimeout(timer);
      waiting.delete(resume);
      resolve();
    };
    const timer = setTimeout(resume, pollIntervalMs);
    waiting.add(resume);
  });
}

function keyOf(name = '', text: string): string {
  return `tries:${hashToken(`login ${name} ${text}`)}`;
}

/** Spellings of one name count as one: guessing at `Ada` and `ada` is guessing at one account. */
function userKey(identifier: string, address: string | undefined): string {
  return `u:${identifier.normalize('NFKC').toLowerCase().slice(0, 200)}|${address === undefined ? '' : customerOf(address)}`;
}

function addressKey(address: string): string {
  return `a:${customerOf(address)}`;
}
