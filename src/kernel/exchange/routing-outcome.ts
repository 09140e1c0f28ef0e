import { type ScopeKey, createScopeKey } from '#scope';
import type { Route } from '#routing';

/**
 * What the request listeners concluded about the route of the request. It is only noted: it takes effect after the
 * last request listener, so that the locale, the user and the firewall's verdict are known for misses and redirects
 * too.
 */
export type RoutingOutcome =
  | { readonly kind: 'match'; readonly route: Route; readonly parameters: Readonly<Record<string, unknown>> }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  /** `location` is a path of this site with its query, or an absolute URL made by the router. */
  | {
      readonly kind: 'redirect';
      readonly location: string;
      readonly status: 301 | 302 | 307 | 308;
      readonly by: string;
    }
  /** A listener has answered what no route takes. */
  | { readonly kind: 'answered' }
  /** The request is none; outranks whatever the listeners answered. */
  | { readonly kind: 'bad-request'; readonly error: unknown };

/** The outcome of the current request; a listener after the router may replace it (the locale rewrite does). */
export const routingOutcome: ScopeKey<RoutingOutcome> = createScopeKey<RoutingOutcome>('routing outcome');
