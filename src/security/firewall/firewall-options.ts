import type { HttpRequest, HttpResponse } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import type { LoginThrottle, LoginThrottleOptions } from '../authentication/login-throttle.js';
import type { AccessDeniedError } from '../authorization/access-denied-error.js';
import type { RememberMeOptions } from '../state/remember-me.js';
import type { UserProvider } from '../users/user-provider.js';
import type { LogoutOptions } from '../state/logout-options.js';
import type { RequestConditions } from '../requests/request-matcher.js';
import type { SecondFactor } from '../state/second-factor.js';
import type { SwitchUserOptions } from '../state/switch-user-options.js';

/** One part of the site and how one gets in. The first firewall whose conditions fit a request is the request's. */
export interface FirewallOptions extends Omit<RequestConditions, 'route'> {
  /** How it is called in records; unique. */
  readonly name: string;
  /** False admits everybody as a stranger and asks nothing, not even the access rules. Default true. */
  readonly security?: boolean;
  /** Keeps and reads no session: every request proves itself. Default false. */
  readonly stateless?: boolean;
  /** Asks session and store only when somebody wants to know the user, on safe methods. Default false. */
  readonly lazy?: boolean;
  /** Default: the provider given to createSecurity. */
  readonly provider?: UserProvider;
  /** In the order they are tried. */
  readonly authenticators?: readonly Authenticator[];
  /** Name of the authenticator that strangers are sent to. Needed only where several can ask for a login. */
  readonly entryPoint?: string;
  /** Remembers users beyond their session. Default: does not. */
  readonly rememberMe?: boolean | RememberMeOptions;
  /** Default: no logout. */
  readonly logout?: boolean | LogoutOptions;
  /** Default: nobody acts as anybody else. */
  readonly switchUser?: boolean | SwitchUserOptions;
  /** What is asked for after an interactive login: `totpFactor(…)`. Default: nothing. */
  readonly secondFactor?: SecondFactor;
  /** Default: five failed passwords a minute for a user and address, twenty-five for an address. */
  readonly throttle?: false | LoginThrottle | LoginThrottleOptions;
  /** Firewalls with one context share their logins. Default: the name. */
  readonly context?: string;
  /** Answers a known user who may not; undefined leaves it at the 403 page. */
  readonly accessDenied?: (
    request: HttpRequest,
    error: AccessDeniedError,
  ) => HttpResponse | undefined | Promise<HttpResponse | undefined>;
}
