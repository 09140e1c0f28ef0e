import { type OptionNames, optionNames } from '#coded-error';
import type { ValueResolver } from '#controller';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import type { Logger } from '#log';
import type { SecurityToken } from './authentication/authenticator.js';
import {
  type AccessDecision,
  type AccessRequirement,
  type StrategyOptions,
  type Voter,
  type RoleHierarchy,
} from './authorization/decide-access.js';
import { type AccessRule, accessRuleNames } from './authorization/access-rules.js';
import type { CsrfOptions } from './requests/csrf-guard.js';
import { type FirewallOptions, firewallOptionNames } from './firewall/compile-firewall.js';
import type { RouteAccess } from './firewall/firewall-listener.js';
import type { PasswordHasher, Passwords } from './users/passwords.js';
import type { Session, SessionView } from './sessions/session.js';
import { type SessionOptions, sessionOptionNames } from './sessions/sessions.js';
import type { SecurityUser, UserProvider } from './users/user-provider.js';

/** Configuration of the security of a site. Without firewalls and rules, everyone is admitted anonymously. */
export interface SecurityOptions<User extends SecurityUser = SecurityUser> {
  /** Firewalls for the parts of the site, tried in this order. Default: one for the whole site. */
  readonly firewalls?: readonly FirewallOptions[];
  /**
   * Defines who may send which requests. The first matching rule decides; a request without a matching rule is allowed.
   */
  readonly accessControl?: readonly AccessRule[];
  /** User provider for firewalls without their own provider. */
  readonly provider?: UserProvider<User>;
  /**
   * Secret for signing cookies: at least 32 random characters, the same in every process. Of several, the first signs and
   * all verify. Default: a secret generated for this process, which is refused if signatures must outlive the process
   * (a store other than memory, for sessions or remember-me).
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * Session options. Default: sessions in the memory of this process. False turns sessions off; every firewall is then
   * stateless.
   */
  readonly sessions?: Partial<SessionOptions> | false;
  readonly roleHierarchy?: RoleHierarchy;
  /** Voters that are called after the two built-in ones (for attributes of the authentication, and for roles). */
  readonly voters?: readonly Voter[];
  readonly decisions?: StrategyOptions;
  /**
   * Hashers of other algorithms beside argon2id and scrypt, e.g. for the hashes of an older application. The first one
   * with `hash` creates new hashes. Default: none.
   */
  readonly hashers?: readonly PasswordHasher[];
  /** CSRF options. False turns CSRF protection off. */
  readonly csrf?: CsrfOptions | false;
  /**
   * Log for logins, failures, denials and user switches, which are written to the channel `security`: `() => app.log`.
   * Default: none.
   */
  readonly log?: () => Logger;
}

export const securityOptionNames: OptionNames<SecurityOptions> = optionNames(
  'provider secret roleHierarchy voters hashers log',
  {
    firewalls: firewallOptionNames,
    accessControl: accessRuleNames,
    sessions: sessionOptionNames,
    decisions: { strategy: true },
    csrf: { trustedOrigins: true },
  },
);

/**
 * The security of an application: an extension for `createApp({ security })`, and functions for controllers. `User` is the
 * type of the users of the provider; if firewalls have their own providers, pass the union type of all users to
 * `createSecurity`.
 */
export interface Security<User extends SecurityUser = SecurityUser> {
  readonly name: 'security';
  /** Listeners for the application's dispatcher, on which the events of security are dispatched too. */
  readonly listeners: readonly KernelListener[];
  readonly passwords: Passwords;
  /**
   * Returns the requirements of the firewall, the access rules and `isGranted` for a request, for descriptions of the
   * application. Neither authenticates users nor calls voters.
   */
  accessOf(request: HttpRequest, controller: unknown): RouteAccess;

  /** Returns the user of the request; undefined if anonymous. Works with lazy firewalls too. */
  user(request: HttpRequest): Promise<User | undefined>;
  /**
   * Resolves the user as a controller argument; an anonymous visitor is sent to the login.
   * `withArguments([security.currentUser()], (user) => …)`.
   */
  currentUser(): ValueResolver<User>;
  /** Resolves the user as a controller argument, or undefined for an anonymous visitor. */
  optionalUser(): ValueResolver<User | undefined>;
  /** Returns the user of the request with the way of authentication. */
  token(request: HttpRequest): Promise<SecurityToken | undefined>;
  /** Returns whether the user meets the requirement (for the subject). */
  isGranted(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<boolean>;
  /** Like `isGranted`, but returns the decision with all votes. */
  decide(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<AccessDecision>;
  /**
   * Throws an `AccessDeniedError` (answered with 403, or with the login for an anonymous visitor) unless the requirement
   * is met.
   */
  denyUnlessGranted(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<void>;

  /**
   * Logs a user in from code, e.g. after a registration. Throws `SECURITY_NO_PROVIDER` in a firewall without security.
   */
  logIn(request: HttpRequest, user: SecurityUser, options?: { readonly rememberMe?: boolean }): Promise<void>;
  /** Opens the session and locks it for this request; changes are stored at the response event. */
  session(request: HttpRequest): Promise<Session>;
  /** Resolves the session as a controller argument: `arguments: [security.sessionArgument]`. */
  readonly sessionArgument: ValueResolver<Session>;
  /** Reads the stored session without locking it; undefined if there is none. */
  viewSession(request: HttpRequest): Promise<SessionView | undefined>;
}
