import { hash } from 'node:crypto';
import { TooManyRequestsError } from '#errors';
import type { HttpRequest, ResponseHeaders } from '#http';
import { customerOf } from '#http';
import type { ExpiringStore } from '#security';
import { createMemoryExpiringStore } from '#security';
import { webErrors } from '../error-codes.js';

export interface RateLimitOptions {
  /** Maximum requests per window and key. */
  readonly limit: number;
  /** Length of a window in seconds. A window begins with the first request of a key. */
  readonly window: number;
  /** Returns the key to count by; undefined for requests that are not limited. Default: the client's address (for IPv6 its /64). */
  readonly key?: (request: HttpRequest) => string | undefined;
  /** Name of the policy in the headers; same-named limits in one store count together. Default `default`. */
  readonly name?: string;
  /** Where requests are counted. Default: the memory of this process. Processes that share a store count together. */
  readonly store?: ExpiringStore;
}

/** The result of counting one request. */
export interface RateVerdict {
  readonly isTaken: boolean;
  /** Requests remaining in the window. */
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly endsIn: number;
}

/** A configured limit. */
export interface RatePolicy {
  /** Counts a request. Returns undefined if it is not limited, and a promise only if the store returns one. */
  count(request: HttpRequest): RateVerdict | undefined | Promise<RateVerdict | undefined>;
  /** Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  describe(headers: ResponseHeaders, verdict: RateVerdict): void;
  /** Creates the 429 of a verdict. With `described`, it has the headers of `describe`, for callers that do not add them. */
  refusal(verdict: RateVerdict, options?: { readonly described?: boolean }): TooManyRequestsError;
}

/** Creates a rate policy. Throws `WEB_BAD_OPTION`. */
export function createRatePolicy(options: RateLimitOptions): RatePolicy {
  const {
    limit,
    window,
    key = ({ clientAddress = '' }) => customerOf(clientAddress),
    name = 'default',
  } = options;
  const store = options.store ?? createMemoryExpiringStore();
  checkOptions({ limit, window, name });

  function verdictOf(taken: Awaited<ReturnType<ExpiringStore['take']>>): RateVerdict {
    const remaining = taken.isTaken ? Math.max(0, limit - taken.kept - 1) : 0;
    return { isTaken: taken.isTaken, remaining, endsIn: Math.max(1, Math.ceil(taken.endsIn / 1000)) };
  }

  async function keepLater(counted: string, taking: ReturnType<ExpiringStore['take']>): Promise<RateVerdict> {
    const taken = await taking;
    if (taken.isTaken) await store.settle(counted, 'keep');
    return verdictOf(taken);
  }

  const fields = ({ remaining, endsIn }: RateVerdict): [name: string, value: string][] => [
    ['RateLimit-Policy', `"${name}";q=${limit};w=${window}`],
    ['RateLimit', `"${name}";r=${remaining};t=${endsIn}`],
  ];

  return {
    count(request) {
      const found = key(request);
      if (found === undefined) return undefined;
      const counted = `rate:${hash('sha256', `${name}\n${found}`, 'hex')}`;
      const taken = store.take(counted, limit, window * 1000);
      if (taken instanceof Promise) return keepLater(counted, taken);
      const settled = taken.isTaken ? store.settle(counted, 'keep') : undefined;
      return settled instanceof Promise ? settled.then(() => verdictOf(taken)) : verdictOf(taken);
    },
    describe(headers, verdict) {
      for (const [field, value] of fields(verdict)) headers.append(field, value);
    },
    refusal(verdict, { described = false } = {}) {
      const { endsIn } = verdict;
      const headers = described ? Object.fromEntries(fields(verdict)) : {};
      return new TooManyRequestsError(endsIn, `Too many requests; try again in ${endsIn} s.`, { headers });
    },
  };
}

function checkOptions({ limit, window, name }: { limit: number; window: number; name: string }): void {
  const bad = (option: string, given: string | number, takes: string): Error =>
    webErrors.create('WEB_BAD_OPTION', { option, what: 'a rate limit', given, takes });
  if (!Number.isInteger(limit) || limit < 1) throw bad('limit', limit, 'a whole number from 1 on');
  if (!Number.isInteger(window) || window < 1) throw bad('window', window, 'whole seconds from 1 on');
  if (!/^[A-Za-z0-9_.:-]{1,64}$/.test(name))
    throw bad('name', JSON.stringify(name), 'up to 64 letters, digits, and _ . : -');
}
