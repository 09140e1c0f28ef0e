import type { Authenticator } from '../authentication/authenticator.js';
import type { LoginThrottle, LoginThrottleOptions } from '../authentication/login-throttle.js';
import type {
  AnswerDenial,
  LogoutOptions,
  RememberMeOptions,
  SecondFactor,
  SwitchUserOptions,
} from '../state/firewall.js';
import type { UserProvider } from '../users/user-provider.js';
import type { RequestConditions } from '../requests/request-matcher.js';

/** One part of the site and how one gets in. The first firewall whose conditions fit a request is the request's. */
export interface FirewallOptions extends Omit<RequestConditions, 'route'> {
  /** How it is called in records; unique. */
  readonly name: string;
  /** False admits everyone anonymously and checks nothing, not even the access rules. Default true. */
  readonly security?: boolean;
  /** Keeps and reads no session: every request proves itself. Default false. */
  readonly stateless?: boolean;
  /** Reads session and store only when the user is needed, on safe methods. Default false. */
  readonly lazy?: boolean;
  /** Default: the provider passed to createSecurity. */
  readonly provider?: UserProvider;
  /** In the order they are tried. */
  readonly authenticators?: readonly Authenticator[];
  /** Name of the authenticator that anonymous visitors are sent to. Needed only if several can start a login. */
  readonly entryPoint?: string;
  /** Remembers users beyond their session. Default: does not. */
  readonly rememberMe?: boolean | RememberMeOptions;
  /** Default: no logout. */
  readonly logout?: boolean | LogoutOptions;
  /** Default: switching users is off. */
  readonly switchUser?: boolean | SwitchUserOptions;
  /** The second step of an interactive login: `totpFactor(…)`. Default: none. */
  readonly secondFactor?: SecondFactor;
  /** Default: five failed passwords a minute for a user and address, twenty-five for an address. */
  readonly throttle?: false | LoginThrottle | LoginThrottleOptions;
  /** Firewalls with one context share their logins. Default: the name. */
  readonly context?: string;
  /** Answers a known user without access; undefined uses the 403 page. */
  readonly accessDenied?: AnswerDenial;
}
