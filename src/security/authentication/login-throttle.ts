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

/** Port: slows guessing down. A try is counted before the password is checked, so that parallel tries count too. */
export interface LoginThrottle {
  /** Counts a try; seconds to wait where it is one too many, else undefined. */
  take(identifier: string, address: string): number | undefined | Promise<number | undefined>;
  /** The try was no guess: forgets the user's count here and gives the address its try back. */
  forgive(identifier: string, address: string): void | Promise<void>;
}

interface Window {
  count: number;
  endsAt: number;
}

/** A throttle in this process's memory, with fixed windows that begin at the first try. */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  const perUser = options.perUser ?? 5;
  const perAddress = options.perAddress ?? 25;
  const interval = (options.interval ?? 60) * 1000;
  const limit = options.limit ?? 100_000;
  const windows = new Map<string, Window>();

  function count(key: string): Window {
    const now = performance.now();
    const known = windows.get(key);
    const window = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + interval };
    window.count++;
    windows.delete(key); // to the end: the Map is in the order of the last try
    windows.set(key, window);
    const [oldest] = windows.keys();
    if (windows.size > limit && oldest !== undefined) windows.delete(oldest);
    return window;
  }

  return {
    take(identifier, address) {
      const user = count(userKey(identifier, address));
      const from = count(addressKey(address));
      const blocking = [user.count > perUser ? user : undefined, from.count > perAddress ? from : undefined];
      const ends = blocking.map((window) => window?.endsAt ?? 0);
      const wait = Math.max(...ends) - performance.now();
      return wait > 0 ? Math.ceil(wait / 1000) : undefined;
    },
    forgive(identifier, address) {
      windows.delete(userKey(identifier, address));
      const from = windows.get(addressKey(address));
      if (from !== undefined) from.count--;
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
