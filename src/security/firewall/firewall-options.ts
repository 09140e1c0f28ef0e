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

/** The protection of one part of a site. The first firewall whose conditions match a request applies to it. */
export interface FirewallOptions extends Omit<RequestConditions, 'route'> {
  /** Unique name, shown in records. */
  readonly name: string;
  /** False to admit everyone anonymously and to check nothing, not even the access rules. Default true. */
  readonly security?: boolean;
  /** True to use no sessions: every request must carry credentials. Default false. */
  readonly stateless?: boolean;
  /** True to load session and user only when the user is needed, on safe methods. Default false. */
  readonly lazy?: boolean;
  /** Source of the users. Default: the provider passed to `createSecurity`. */
  readonly provider?: UserProvider;
  /** Authenticators in the order in which they are tried. */
  readonly authenticators?: readonly Authenticator[];
  /** Name of the authenticator that anonymous visitors are sent to. Needed only if several can start a login. */
  readonly entryPoint?: string;
  /** Remembers users after their session has ended. Default: off. */
  readonly rememberMe?: boolean | RememberMeOptions;
  /** Answers requests to the logout path. Default: no logout. */
  readonly logout?: boolean | LogoutOptions;
  /** Lets users act as other users. Default: off. */
  readonly switchUser?: boolean | SwitchUserOptions;
  /** The second step of an interactive login: `totpFactor(…)`. Default: none. */
  readonly secondFactor?: SecondFactor;
  /** Limits failed logins. Default: per minute, five for one user from one address, and twenty-five for one address. */
  readonly throttle?: false | LoginThrottle | LoginThrottleOptions;
  /** Firewalls with the same context share their logins. Default: the name. */
  readonly context?: string;
  /** Answers a known user without access. If it returns undefined, the 403 page is sent. */
  readonly accessDenied?: AnswerDenial;
}
