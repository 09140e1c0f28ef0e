import { hash } from 'node:crypto';
import {
  callable,
  checkOptions,
  optionsSchema,
  type OptionsSchema,
  type OptionTypes,
  required,
  textWith,
  whole,
} from '#core/options';
import type { Around } from '#framework/controller';
import { TooManyRequestsError } from '#core/errors';
import { type HttpRequest, type ResponseHeaders, customerOf } from '#core/http';
import { kernelListener, kernelPriority, requestEvent, responseEvent } from '#framework/kernel';
import { createScopeKey } from '#core/scope';
import {
  type ExpiringStore,
  boundStore,
  createMemoryExpiringStore,
  expiringStore,
} from '#framework/security';
import { createPathMatcher, pathList, type WebExtension } from './web-extension.js';

export interface RateLimitOptions {
  /** Maximum number of requests per window and key. */
  readonly limit: number;
  /** A window's length in seconds. A window begins with a key's first request. */
  readonly window: number;
  /**
   * Returns the key to count by; undefined for requests that are not limited. Default: the client's address (for IPv6
   * its /64); clients without an address are counted together.
   */
  readonly key?: (request: HttpRequest) => string | undefined;
  /** Name of the policy in the headers; limits with the same name in one store count together. Default `default`. */
  readonly name?: string;
  /** Store for the counters. Default: this process's memory. Processes that share a store count together. */
  readonly store?: ExpiringStore;
}

interface RateVerdict {
  readonly isTaken: boolean;
  /** Seconds until the window ends. */
  readonly endsIn: number;
  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  readonly fields: Readonly<Record<string, string>>;
}

/** Creates the function that counts a request; it returns undefined if the request is not limited. */
export function createRateCounter(
  options: RateLimitOptions,
): (request: HttpRequest) => Promise<RateVerdict | undefined> {
  const { limit, window, key = addressKey(), name = 'default' } = options;
  const store = boundStore(options.store ?? createMemoryExpiringStore());
  return async (request) => {
    const found = key(request);
    if (found === undefined) return undefined;
    const counted = `rate:${hash('sha256', `${name}\n${found}`, 'hex')}`;
    const { isTaken, kept, endsIn: milliseconds } = await store.take(counted, limit, window * 1000);
    if (isTaken) await store.settle(counted, 'keep');
    const remaining = isTaken ? Math.max(0, limit - kept - 1) : 0;
    const endsIn = Math.max(1, Math.ceil(milliseconds / 1000));
    const fields = {
      'RateLimit-Policy': `"${name}";q=${limit};w=${window}`,
      RateLimit: `"${name}";r=${remaining};t=${endsIn}`,
    };
    return { isTaken, endsIn, fields };
  };
}

/**
 * Counts by address. Clients without an address count together, so that the limit always applies, and Node prints a
 * warning.
 */
function addressKey(): NonNullable<RateLimitOptions['key']> {
  let hasWarned = false;
  return ({ clientAddress }) => {
    if (clientAddress === undefined && !hasWarned) {
      hasWarned = true;
      process.emitWarning(noAddress, { type: 'RateLimitWarning' });
    }
    return customerOf(clientAddress ?? '');
  };
}

const noAddress =
  'A rate limit counts requests by client address, but these requests have none (a Unix socket, or app.fetch() without a peer) and share one count. Trust the proxy in front, or pass a key.';

function refusal({ endsIn }: RateVerdict, headers: Readonly<Record<string, string>>): TooManyRequestsError {
  return new TooManyRequestsError(endsIn, `Too many requests; try again in ${endsIn} s.`, { headers });
}

function describe(headers: ResponseHeaders, { fields }: RateVerdict): void {
  for (const [field, value] of Object.entries(fields)) headers.append(field, value);
}

export interface AppRateLimitOptions extends RateLimitOptions {
  /** Only these paths and everything below them, counted together. Default: all. */
  readonly paths?: readonly string[];
}

const rateLimitTypes: OptionTypes<RateLimitOptions> = {
  limit: required(whole({ min: 1 })),
  window: required(whole({ min: 1, max: 2_147_483, unit: 'seconds' })),
  key: callable(),
  name: textWith('a string of up to 64 letters, digits, and _ . : -', (value) =>
    /^[A-Za-z0-9_.:-]{1,64}$/.test(value),
  ),
  store: expiringStore,
};

export const rateLimitSchema: OptionsSchema<AppRateLimitOptions> = optionsSchema<AppRateLimitOptions>({
  ...rateLimitTypes,
  paths: pathList,
});

export const routeRateLimitSchema: OptionsSchema<RateLimitOptions> =
  optionsSchema<RateLimitOptions>(rateLimitTypes);

/**
 * Limits each client's requests to the whole application; further ones get a 429 with `Retry-After`. Without a `key` it
 * runs before routing and firewall; with a `key` after them, when the user is known. Throws `OPTIONS_BAD_VALUE`.
 */
export function rateLimit(options: AppRateLimitOptions): WebExtension {
  checkOptions('rateLimit()', options, rateLimitSchema);
  const count = createRateCounter(options);
  const isMeant = createPathMatcher(options.paths);
  const verdictOf = createScopeKey<RateVerdict>('rate limit');
  const { rateLimit: early, rateLimitOfUser } = kernelPriority.request;

  return {
    name: 'rate limit',
    listeners: [
      kernelListener(
        requestEvent,
        async ({ request }) => {
          const verdict = isMeant(request) ? await count(request) : undefined;
          if (verdict === undefined) return;
          request.scope.set(verdictOf, verdict);
          if (!verdict.isTaken) throw refusal(verdict, {});
        },
        { name: 'rate limit', priority: options.key === undefined ? early : rateLimitOfUser },
      ),
      kernelListener(
        responseEvent,
        ({ request, response }) => {
          const verdict = request.scope.getOwn(verdictOf);
          if (verdict !== undefined) describe(response.headers, verdict);
        },
        { name: 'rate limit headers', priority: kernelPriority.response.webHeaders },
      ),
    ],
  };
}

/** Returns a layer that limits a route or group, after the firewall. All routes with the same layer count together. */
export function limitRate(options: RateLimitOptions): Around {
  checkOptions('limitRate()', options, routeRateLimitSchema);
  const count = createRateCounter(options);
  return async function rateLimit(request, next) {
    const verdict = await count(request);
    if (verdict === undefined) return next();
    if (!verdict.isTaken) throw refusal(verdict, verdict.fields);
    const response = await next();
    describe(response.headers, verdict);
    return response;
  };
}
