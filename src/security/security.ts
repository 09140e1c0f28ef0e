import type { ValueResolver } from '#controller';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import type { SecurityToken } from './authentication/security-token.js';
import type { RouteAccess } from './firewall/describe-access.js';
import type { AccessDecision } from './authorization/access-decision.js';
import type { AccessRequirement } from './authorization/decide-access.js';
import type { Passwords } from './passwords/passwords.js';
import type { Session, SessionView } from './sessions/session.js';
import type { SecurityUser } from './users/security-user.js';

export type { RouteAccess };

/**
 * Guards an application: an extension for `createApp({ security })`, and what controllers may ask. `User` is what the
 * provider of `createSecurity` gives; where firewalls have providers of their own, name the type of all users there.
 */
export interface Security<User extends SecurityUser = SecurityUser> {
  readonly name: 'security';
  /** What is added to the application's dispatcher; the events of security are dispatched there too. */
  readonly listeners: readonly KernelListener[];
  readonly passwords: Passwords;
  /**
   * What the firewall, the access rules and `isGranted` ask of requests like this one, for descriptions of the
   * application. Nobody is authenticated and no voter is asked.
   */
  accessOf(request: HttpRequest, controller: unknown): RouteAccess;

  /** Who asks; undefined for a stranger. Also where the firewall is lazy. */
  user(request: HttpRequest): Promise<User | undefined>;
  /** The user as a controller's argument; a stranger is asked to log in. `withArguments([security.currentUser()], (user) => …)`. */
  currentUser(): ValueResolver<User>;
  /** The user, or undefined for a stranger, as a controller's argument. */
  optionalUser(): ValueResolver<User | undefined>;
  /** Who asks, and how that is known. */
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
  /** The session as it is stored, without its lock; undefined where there is none. */
  viewSession(request: HttpRequest): Promise<SessionView | undefined>;
  /** The token for a form's hidden field `_csrf`. Browsers of today do without; see docs/security.md. */
  csrfToken(request: HttpRequest): Promise<string>;
}
