import { setTimeout as sleep } from 'node:timers/promises';
import { checkOptions, number, optionsSchema, type OptionsSchema, text, whole } from '#core/options';
import { customerOf, widerNetworksOf } from '#core/http';
import { hashToken } from '../secrets/signed-cookies.js';
import { boundStore } from '../stores/bound-store.js';
import { type ExpiringStore, createMemoryExpiringStore, expiringStore } from '../stores/expiring-store.js';

export interface LoginThrottleOptions {
  /** Failed logins per interval for one user from one address, or from all unknown addresses together. Default 5. */
  readonly perUser?: number;
  /**
   * Failed logins per interval from one address, for all names together; unknown addresses are not counted. A 64-bit
   * IPv6 network counts as one address; its /56 network is allowed four times as many, and its /48 sixteen times as
   * many. Default 25.
   */
  readonly perAddress?: number;
  /**
   * Failed logins per hour for one user, from all addresses together that the user has not logged in from within ninety
   * days. Default 100.
   */
  readonly perAccount?: number;
  /** Length in seconds of the interval for `perUser` and `perAddress`. Default 60. */
  readonly interval?: number;
  /** Store for the counts. Default: the session store if processes share it, otherwise this process's memory. */
  readonly store?: ExpiringStore | undefined;
  /** Distinguishes throttles that share a store. Default: the firewall's name. */
  readonly name?: string;
}

export const loginThrottleSchema: OptionsSchema<LoginThrottleOptions> = optionsSchema<LoginThrottleOptions>({
  perUser: whole({ min: 1 }),
  perAddress: whole({ min: 1 }),
  perAccount: whole({ min: 1 }),
  interval: number({ min: 1, max: 2_147_483, unit: 'seconds' }),
  store: expiringStore,
  name: text,
});

/** An attempt's outcome: `unknown` if something else failed before the password was checked. */
export type AttemptOutcome = 'success' | 'failure' | 'unknown';

/** Port: limits login attempts. */
export interface LoginThrottle {
  /**
   * Counts an attempt before the password is checked. Returns undefined if the attempt is allowed, otherwise the
   * seconds to wait. Attempts in flight are counted, so that concurrent attempts cannot bypass the limit; if the
   * decision depends on them, the result waits for their outcome. Attempts from an unknown address (undefined) are only
   * counted for the user.
   */
  take(identifier: string, address: string | undefined): number | undefined | Promise<number | undefined>;
  /** Called once for every allowed attempt. A success clears the user's failures from this address. */
  settle(identifier: string, address: string | undefined, outcome: AttemptOutcome): void | Promise<void>;
}

/** How long an attempt waits for attempts in flight before it is refused, and how often it checks their outcome. */
const maxWaitMs = 10_000;
const pollIntervalMs = 50;

const accountIntervalMs = 3_600_000;
/** How long an address stays known after a login. */
const knownMs = 90 * 86_400_000;

/**
 * Creates a throttle with fixed windows that begin at the first attempt: one for a user from an address, one for an
 * address with all names, and one for a user from all addresses. The last one ignores addresses that the user has
 * logged in from, so that guessing from many networks cannot lock the owner out. Counts are in `options.store`; if the
 * store fails, all logins fail.
 */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  checkOptions('createLoginThrottle()', options, loginThrottleSchema);
  const { perUser = 5, perAddress = 25, perAccount = 100, interval = 60 } = options;
  const store = boundStore(options.store ?? createMemoryExpiringStore());
  const lifetime = interval * 1000;
  const keyOf = (text: string): string => `tries:${hashToken(`login ${options.name ?? ''} ${text}`)}`;

  type Count = { readonly key: string; readonly limit: number; readonly lifetime: number };

  /**
   * Returns the counters for an attempt, the key for counting the user from this address, and the key of the marker
   * that the user has logged in from there. Attempts for `Ada`, `ada ` and `adá` are counted together, because a
   * database or a lookup may find the same user by any of them.
   */
  async function countsOf(identifier: string, address: string | undefined) {
    const letters = identifier.normalize('NFKD').replaceAll(/[\p{M}\p{Z}\p{C}]+/gu, '');
    const name = letters.toLowerCase().slice(0, 200);
    const from = address === undefined ? '' : customerOf(address);
    const [user, known] = [keyOf(`u:${name}|${from}`), keyOf(`k:${name}|${from}`)];
    const counts: Count[] = [{ key: user, limit: perUser, lifetime }];
    // Clients with unknown addresses must not share one count.
    const networks = address === undefined ? [] : [{ key: from, factor: 1 }, ...widerNetworksOf(address)];
    for (const { key, factor } of networks)
      counts.push({ key: keyOf(`a:${key}`), limit: perAddress * factor, lifetime });
    if ((await store.get(known)) === undefined)
      counts.push({ key: keyOf(`t:${name}`), limit: perAccount, lifetime: accountIntervalMs });
    return { counts, user, known };
  }

  /**
   * Returns undefined if allowed, otherwise the milliseconds until the window ends, or 0 if it depends on attempts in
   * flight.
   */
  async function takeAttempt(counts: readonly Count[]): Promise<number | undefined> {
    for (const [at, { key, limit, lifetime }] of counts.entries()) {
      const slot = await store.take(key, limit, lifetime);
      if (slot.isTaken) continue;
      for (const taken of counts.slice(0, at)) await store.settle(taken.key, 'free');
      return slot.kept >= limit ? slot.endsIn : 0;
    }
    return undefined;
  }

  return {
    async take(identifier, address) {
      const { counts } = await countsOf(identifier, address);
      const until = performance.now() + maxWaitMs;
      for (;;) {
        const endsIn = await takeAttempt(counts);
        if (endsIn === undefined) return undefined;
        if (endsIn > 0) return Math.max(1, Math.ceil(endsIn / 1000));
        if (performance.now() >= until) return 1;
        await sleep(pollIntervalMs);
      }
    },
    async settle(identifier, address, outcome) {
      const other = outcome === 'failure' ? 'keep' : 'free';
      const { counts, user, known } = await countsOf(identifier, address);
      for (const { key } of counts)
        await store.settle(key, outcome === 'success' && key === user ? 'clear' : other);
      if (outcome === 'success') await store.put(known, '', { lifetime: knownMs });
    },
  };
}
