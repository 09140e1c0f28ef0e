import { unmapAddress } from '../firewall/address-test.js';

export interface LoginThrottleOptions {
  /** Failed logins in the interval for one user from one address. Default 5. */
  readonly perUser?: number;
  /** Failed logins in the interval from one address, whoever it names. Default 25. */
  readonly perAddress?: number;
  /** Seconds. Default 60. */
  readonly interval?: number;
  /** Most names and addresses watched; beyond it the oldest are forgotten. Default 100,000. */
  readonly limit?: number;
}

/** What came of a try: `unknown` where something else failed before the password was judged. */
export type TryOutcome = 'success' | 'failure' | 'unknown';

/** Port: slows guessing down. */
export interface LoginThrottle {
  /**
   * Asks for a try before the password is checked: undefined lets it happen, a number is the seconds to wait. Tries
   * under way count too, so that many at once are no way around it; where they decide, the answer waits for them.
   */
  take(identifier: string, address: string): number | undefined | Promise<number | undefined>;
  /** Called once for every try that was let happen. A success forgets the user's failures from this address. */
  settle(identifier: string, address: string, outcome: TryOutcome): void | Promise<void>;
}

interface Window {
  failures: number;
  pending: number;
  endsAt: number;
  waiting: (() => void)[];
}

/** A throttle in this process's memory, with fixed windows that begin at the first failure. */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  const interval = (options.interval ?? 60) * 1000;
  const limit = options.limit ?? 100_000;
  const windows = new Map<string, Window>();

  function windowOf(key: string): Window {
    const now = performance.now();
    const window = windows.get(key) ?? { failures: 0, pending: 0, endsAt: now, waiting: [] };
    if (window.endsAt <= now) [window.failures, window.endsAt] = [0, now + interval];
    windows.delete(key); // to the end: the Map is in the order of the last try
    windows.set(key, window);
    if (windows.size > limit) forgetOldest();
    return window;
  }

  function forgetOldest(): void {
    const [oldest] = windows;
    if (oldest === undefined) return;
    windows.delete(oldest[0]);
    for (const resume of oldest[1].waiting) resume();
  }

  function limited(identifier: string, address: string): readonly { window: Window; most: number }[] {
    return [
      { window: windowOf(userKey(identifier, address)), most: options.perUser ?? 5 },
      { window: windowOf(addressKey(address)), most: options.perAddress ?? 25 },
    ];
  }

  return {
    async take(identifier, address) {
      for (;;) {
        const both = limited(identifier, address);
        const ends = both
          .filter(({ window, most }) => window.failures >= most)
          .map(({ window }) => window.endsAt);
        if (ends.length > 0) return Math.max(1, Math.ceil((Math.max(...ends) - performance.now()) / 1000));
        const full = both.find(({ window, most }) => window.failures + window.pending >= most);
        if (full === undefined) {
          for (const { window } of both) window.pending++;
          return undefined;
        }
        await new Promise<void>((resolve) => full.window.waiting.push(resolve));
      }
    },
    settle(identifier, address, outcome) {
      const [user, from] = limited(identifier, address);
      for (const window of [user?.window, from?.window]) {
        if (window === undefined) continue;
        window.pending = Math.max(0, window.pending - 1);
        if (outcome === 'failure') window.failures++;
        for (const resume of window.waiting.splice(0)) resume();
      }
      if (outcome === 'success' && user !== undefined) user.window.failures = 0;
    },
  };
}

/** Spellings of one name count as one: guessing at `Ada` and `ada` is guessing at one account. */
function userKey(identifier: string, address: string): string {
  return `u:${identifier.normalize('NFKC').toLowerCase().slice(0, 200)}|${networkOf(address)}`;
}

function addressKey(address: string): string {
  return `a:${networkOf(address)}`;
}

/** IPv6 customers are given at least a /64: they have as many addresses as they like. */
function networkOf(address: string): string {
  const plain = unmapAddress(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = plain.includes('::')
    ? Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
    : [];
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':');
}
