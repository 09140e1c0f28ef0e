import type { ValueResolver } from '#controller';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import type { SecurityToken } from './authentication/authenticator.js';
import type { RouteAccess } from './firewall/describe-access.js';
import type { AccessDecision } from './authorization/access-decision.js';
import type { AccessRequirement } from './authorization/decide-access.js';
import type { Passwords } from './passwords/passwords.js';
import type { Session, SessionView } from './sessions/session.js';
import type { SecurityUser } from './users/user-provider.js';

export type { RouteAccess };

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
