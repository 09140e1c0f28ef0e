import { customerOf } from '#http';
import { hashToken } from '../secrets/random-token.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { createMemoryExpiringStore } from '../stores/memory-expiring-store.js';

export interface LoginThrottleOptions {
  /** Failed logins per interval for one user from one address, or from all unknown addresses together. Default 5. */
  readonly perUser?: number;
  /**
   * Failed logins per interval from one address, for all names together; unknown addresses are not counted. Default 25.
   */
  readonly perAddress?: number;
  /** Length of the interval in seconds. Default 60. */
  readonly interval?: number;
  /** Store of the counts. Default: the session store if processes share it, otherwise the memory of this process. */
  readonly store?: ExpiringStore | undefined;
  /** Distinguishes throttles that share a store. Default: the name of the firewall. */
  readonly name?: string;
  /** Maximum number of names and addresses counted in memory; the oldest are discarded. Default 100,000. */
  readonly limit?: number;
}

/** Outcome of an attempt: `unknown` if something else failed before the password was checked. */
export type AttemptOutcome = 'success' | 'failure' | 'unknown';

/** Port: limits login attempts. Contract suite: `checkLoginThrottle`. */
export interface LoginThrottle {
  /**
   * Counts an attempt before the password is checked. Returns undefined if the attempt is allowed, otherwise the seconds to
   * wait. Attempts in flight are counted, so that concurrent attempts cannot bypass the limit; if the decision depends on
   * them, the result waits for their outcome. Attempts from an unknown address (undefined) are counted for the user only.
   */
  take(identifier: string, address: string | undefined): number | undefined | Promise<number | undefined>;
  /** Called once for every allowed attempt. A success clears the failures of the user from this address. */
  settle(identifier: string, address: string | undefined, outcome: AttemptOutcome): void | Promise<void>;
}

/**
 * How long an attempt waits for attempts in flight before it is refused, and how often it polls for those of other
 * processes.
 */
const maxWaitMs = 10_000;
const pollIntervalMs = 50;

/**
 * Creates a throttle with fixed windows that begin at the first attempt. It counts in `options.store`; if the store fails,
 * all logins fail.
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
    // Clients with unknown addresses must not share one count.
    from: address === undefined ? undefined : keyOf(options.name, addressKey(address)),
  });

  /**
   * Returns undefined if the attempt is allowed, otherwise the milliseconds until the window ends, or 0 if the decision
   * depends on attempts in flight.
   */
  async function takeAttempt({
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
        const endsIn = await takeAttempt(keys);
        if (endsIn === undefined) return undefined;
        if (endsIn > 0) return Math.max(1, Math.ceil(endsIn / 1000));
        if (performance.now() >= until) return 1;
        await waitForSettlement(waiting);
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

/** Waits until an attempt of this process is settled, or until the next poll for attempts of other processes. */
function waitForSettlement(waiting: Set<() => void>): Promise<void> {
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

/** Normalises the identifier, so that attempts for `Ada` and `ada` are counted together. */
function userKey(identifier: string, address: string | undefined): string {
  return `u:${identifier.normalize('NFKC').toLowerCase().slice(0, 200)}|${address === undefined ? '' : customerOf(address)}`;
}

function addressKey(address: string): string {
  return `a:${customerOf(address)}`;
}
