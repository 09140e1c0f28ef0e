import { type ScopeKey, createScopeKey } from '#scope';
import type { Route } from '#routing';

/**
 * The routing decision of the request listeners. It takes effect only after the last request listener, so that the
 * locale, the user and the decision of the firewall are also known for unmatched requests and redirects.
 */
export type RoutingOutcome =
  | { readonly kind: 'match'; readonly route: Route; readonly parameters: Readonly<Record<string, unknown>> }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  /** `location` is a path of this site with its query, or an absolute URL built by the router. */
  | {
      readonly kind: 'redirect';
      readonly location: string;
      readonly status: 301 | 302 | 307 | 308;
      readonly by: string;
    }
  /** No route matches, but a listener has set a response. */
  | { readonly kind: 'answered' }
  /** The request is invalid; takes precedence over a response that a listener has set. */
  | { readonly kind: 'bad-request'; readonly error: unknown };

/** The routing outcome of the current request. Listeners after the router may replace it, as the locale rewrite does. */
export const routingOutcome: ScopeKey<RoutingOutcome> = createScopeKey<RoutingOutcome>('routing outcome');
