import type { ValueResolver } from '#controller';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import type { SecurityToken } from './authentication/authenticator.js';
import type { RouteAccess } from './firewall/describe-access.js';
import type { AccessDecision } from './authorization/access-decision.js';
import type { AccessRequirement } from './authorization/decide-access.js';
import type { Passwords } from './passwords/passwords.js';
import type { Session, SessionView } from './sessions/session.js';
import type { Logger } from '#log';
import type { AccessRule } from './authorization/access-rules.js';
import type { StrategyOptions } from './authorization/decide-access.js';
import type { RoleHierarchy } from './authorization/role-voter.js';
import type { Voter } from './authorization/voter.js';
import type { CsrfOptions } from './csrf/csrf-guard.js';
import type { FirewallOptions } from './firewall/firewall-options.js';
import type { PasswordHasher } from './passwords/password-hasher.js';
import type { SessionOptions } from './sessions/sessions.js';
import type { SecurityUser, UserProvider } from './users/user-provider.js';

/** How a site is guarded. Without firewalls and rules, everyone is admitted as an anonymous visitor. */
export interface SecurityOptions<User extends SecurityUser = SecurityUser> {
  /** The parts of the site, tried in this order. Default: one for all of it. */
  readonly firewalls?: readonly FirewallOptions[];
  /** Who may send which requests; the first rule that fits decides, and a request that none fits is allowed. */
  readonly accessControl?: readonly AccessRule[];
  /** Where users come from, for firewalls that name no provider of their own. */
  readonly provider?: UserProvider<User>;
  /**
   * What cookies are signed with: at least 32 random characters, the same in every process. Of several, the first
   * signs and all verify. Default: one made for this process, which is refused where something outlives the process
   * (a session store other than memory, remember-me).
   */
  readonly secret?: string | readonly string[] | undefined;
  /** Default: in this process's memory. False does without; every firewall is then stateless. */
  readonly sessions?: Partial<SessionOptions> | false;
  readonly roleHierarchy?: RoleHierarchy;
  /** Called after the two built-in ones (degree of authentication, roles). */
  readonly voters?: readonly Voter[];
  readonly decisions?: StrategyOptions;
  /** The first creates new hashes, all verify. Default: argon2id if it can be loaded, and scrypt. */
  readonly hashers?: readonly PasswordHasher[];
  /** False leaves the defence to the application. */
  readonly csrf?: CsrfOptions | false;
  /** Where logins, failures, denials and switches are written, on the channel `security`: `() => app.log`. Default: nowhere. */
  readonly log?: () => Logger;
}

/**
 * Guards an application: an extension for `createApp({ security })`, and functions for controllers. `User` is the type
 * of the users of `createSecurity`'s provider; if firewalls have their own providers, name the type of all users
 * there.
 */
export interface Security<User extends SecurityUser = SecurityUser> {
  readonly name: 'security';
  /** Listeners for the application's dispatcher, on which the events of security are dispatched too. */
  readonly listeners: readonly KernelListener[];
  readonly passwords: Passwords;
  /**
   * What the firewall, the access rules and `isGranted` require of requests like this one, for descriptions of the
   * application. Authenticates no user and calls no voter.
   */
  accessOf(request: HttpRequest, controller: unknown): RouteAccess;

  /** The user of the request; undefined if anonymous. Works with lazy firewalls too. */
  user(request: HttpRequest): Promise<User | undefined>;
  /**
   * The user as a controller's argument; an anonymous visitor is asked to log in.
   * `withArguments([security.currentUser()], (user) => …)`.
   */
  currentUser(): ValueResolver<User>;
  /** The user, or undefined for a stranger, as a controller's argument. */
  optionalUser(): ValueResolver<User | undefined>;
  /** The user of the request, and how they were authenticated. */
  token(request: HttpRequest): Promise<SecurityToken | undefined>;
  /** Whether the user may do this (to the subject). */
  isGranted(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<boolean>;
  /** The same with every voter's opinion. */
  decide(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<AccessDecision>;
  /** Throws an `AccessDeniedError` (403, or a login for a stranger) unless the user may. */
  denyUnlessGranted(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<void>;

  /** Logs a user in from code, e.g. after a registration. Throws `SECURITY_NO_PROVIDER` in a firewall without security. */
  logIn(request: HttpRequest, user: SecurityUser, options?: { readonly rememberMe?: boolean }): Promise<void>;
  /** The session, locked for this request; its changes are stored with the response. */
  session(request: HttpRequest): Promise<Session>;
  /** The session as a controller's argument: `arguments: [security.sessionArgument]`. */
  readonly sessionArgument: ValueResolver<Session>;
  /** The session as it is stored, without its lock; undefined if there is none. */
  viewSession(request: HttpRequest): Promise<SessionView | undefined>;
  /** The token for a form's hidden field `_csrf`. Current browsers do not need it; see docs/security.md. */
  csrfToken(request: HttpRequest): Promise<string>;
}
