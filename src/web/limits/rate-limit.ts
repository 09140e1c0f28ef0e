import type { Around } from '#controller';
import type { HttpRequest } from '#http';
import { kernelListener, requestEvent, responseEvent } from '#kernel';
import { createScopeKey } from '#scope';
import { createPathMatcher } from '../path-matcher.js';
import type { WebExtension } from '../web-extension.js';
import { webPriority } from '../web-priority.js';
import type { RateLimitOptions, RateVerdict } from './rate-policy.js';
import { createRatePolicy } from './rate-policy.js';

export interface AppRateLimitOptions extends RateLimitOptions {
  /** Only these paths and everything below them, counted together. Default: all. */
  readonly paths?: readonly string[];
}

/**
 * Limits the requests of each client to the whole application; further ones get a 429 with `Retry-After`. Without a `key`
 * it runs before routing and firewall; with a `key` after them, when the user is known. Throws `WEB_BAD_OPTION`.
 */
export function rateLimit(options: AppRateLimitOptions): WebExtension {
  const policy = createRatePolicy(options);
  const isMeant = createPathMatcher(options.paths);
  const verdictOf = createScopeKey<RateVerdict>('rate limit');
  const { rateLimit: early, rateLimitOfUser } = webPriority.request;

  function judge(request: HttpRequest, verdict: RateVerdict | undefined): void {
    if (verdict === undefined) return;
    request.scope.set(verdictOf, verdict);
    if (!verdict.isTaken) throw policy.refusal(verdict);
  }

  return {
    name: 'rate limit',
    listeners: [
      kernelListener(
        requestEvent,
        ({ request }) => {
          // Sub-requests of the application do not count.
          if (request.scope.parent !== undefined || !isMeant(request)) return undefined;
          const verdict = policy.count(request);
          if (verdict instanceof Promise) return verdict.then((found) => judge(request, found));
          return judge(request, verdict);
        },
        { name: 'rate limit', priority: options.key === undefined ? early : rateLimitOfUser },
      ),
      kernelListener(
        responseEvent,
        ({ request, response }) => {
          const verdict = request.scope.getOwn(verdictOf);
          if (verdict !== undefined) policy.describe(response.headers, verdict);
        },
        { name: 'rate limit headers', priority: webPriority.response.headers },
      ),
    ],
  };
}

/**
 * Returns a layer that limits a route or a group: `app.post('/orders', order, { around: [limitRate({ … })] })`. All
 * routes with the same layer count together. It runs after the firewall, so a `key` may use the user.
 */
export function limitRate(options: RateLimitOptions): Around {
  const policy = createRatePolicy(options);
  return async function rateLimit(request, next) {
    const verdict = await policy.count(request);
    if (verdict === undefined) return next();
    if (!verdict.isTaken) throw policy.refusal(verdict, { described: true });
    const response = await next();
    policy.describe(response.headers, verdict);
    return response;
  };
}
