import { nameErrors } from '#core/coded-error';
import type { HttpRequest, HttpResponse } from '#core/http';
import type { CsrfGuard } from '../requests/csrf-guard.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { Passwords } from '../users/passwords.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';

/** How clients authenticate, as an OpenAPI 3.1 Security Scheme Object. */
export interface SecurityScheme {
  readonly type: 'http' | 'apiKey' | 'mutualTLS' | 'oauth2' | 'openIdConnect';
  readonly [field: string]: unknown;
}

/**
 * Port: one way to authenticate. It creates a passport from a request; the firewall checks all passports in the same
 * way.
 */
export interface Authenticator {
  /** Name in records; unique within its firewall. */
  readonly name: string;
  /**
   * True for a login, which the session stores unless the firewall is stateless; false if every request carries
   * credentials.
   */
  readonly isInteractive: boolean;
  /** True if browsers send the credentials automatically, even for pages from other sites, like a cached basic login. Default false. */
  readonly isAmbient?: boolean;
  /** Used in API descriptions. Not needed for a login, after which the session cookie authenticates. */
  readonly scheme?: SecurityScheme;
  /**
   * Whether the request carries this authenticator's credentials. Reads only headers, path and cookies; never throws.
   */
  supports(request: HttpRequest): boolean;
  /**
   * Methods with which it answers the request's path, whatever the request's method: a login that needs no route.
   * Requests with other methods get a 405 that names them. Default: none.
   */
  methodsOf?(request: HttpRequest): readonly string[];
  /** Creates the passport. Throws an `AuthenticationError` if the credentials cannot be read. */
  authenticate(request: HttpRequest): Passport | Promise<Passport>;
  /** Returns the response to a successful login; undefined lets the request continue. */
  onSuccess?(request: HttpRequest, token: SecurityToken): Answer;
  /** Returns the response to a failure; undefined lets the request continue anonymously. May throw an `HttpError`. */
  onFailure?(request: HttpRequest, error: AuthenticationError): Answer;
  /** Asks an anonymous visitor to log in: returns a response, or the value of `WWW-Authenticate` for a 401. */
  challenge?(request: HttpRequest): HttpResponse | string;
}

type Answer = HttpResponse | undefined | Promise<HttpResponse | undefined>;

/** A request's user, and how the user was authenticated. */
export interface SecurityToken {
  readonly user: SecurityUser;
  readonly firewall: string;
  /** Name of the login's authenticator, also for a user restored from the session. */
  readonly authenticator: string;
  /** `remembered`: by a remember-me cookie, sufficient for greetings, but not for changing passwords. */
  readonly strength: 'full' | 'remembered';
  /** A remembered login's era. A theft starts a new one, and ends the sessions of earlier ones. */
  readonly era?: string | undefined;
  /** The real user's token during impersonation. */
  readonly impersonator?: SecurityToken | undefined;
}

/** Everything that a badge check may need. */
export interface PassportContext {
  readonly request: HttpRequest;
  /** The user that the passport names. If undefined, a check must fail, and take as long as for an existing user. */
  readonly user: SecurityUser | undefined;
  readonly provider: UserProvider;
  readonly passwords: Passwords;
  readonly csrf: CsrfGuard | undefined;
  /** The session store if all processes share it, for counts across processes. */
  readonly store?: ExpiringStore | undefined;
}

/** One passport condition. It is met if its check does not throw. */
export interface Badge {
  readonly name: string;
  /** Whether the condition is met; initially false. */
  isResolved: boolean;
  /** True to check it before the attempt is counted and before the user is loaded (`user` is then undefined). */
  readonly isPreliminary?: boolean;
  /** True if its check has stored a change to the user, who is then loaded again. */
  hasChangedUser?: boolean;
  /** Throws an `AuthenticationError` if the condition is not met. */
  check(context: PassportContext): void | Promise<void>;
}

/** The result of reading credentials: the claimed user, and the conditions for accepting the claim. */
export interface Passport {
  /** The user's identifier at the provider. */
  readonly identifier: string;
  readonly badges: readonly Badge[];
  /** Loads the user, instead of the firewall's provider. */
  readonly loadUser?: () => SecurityUser | undefined | Promise<SecurityUser | undefined>;
  /** True if attempts must be throttled, as for passwords. */
  readonly isThrottled?: boolean;
  /** True if the user has requested to be remembered. */
  readonly wantsRememberMe?: boolean;
}

/** Creates a badge whose condition is met if `check` does not throw. */
export function createBadge(name: string, check: Badge['check']): Badge {
  return { name, isResolved: false, check };
}

/**
 * Creates a badge that requires the request to come from a page of this site: another site's form must not log users
 * in.
 */
export function csrfBadge(): Badge {
  const badge = createBadge('csrf', ({ request, csrf }) => {
    const problem = csrf?.(request);
    if (problem !== undefined) throw new AuthenticationError('csrf', problem);
  });
  return { ...badge, isPreliminary: true }; // other sites' pages must not use up a visitor's attempts
}

/** Creates a badge that requires the correct password. Stores a renewed hash if the provider supports it. */
export function passwordBadge(password: string): Badge {
  const badge = createBadge('password', async ({ user, passwords, provider }) => {
    const { valid, renewed } = await passwords.check(user?.passwordHash, password);
    if (user === undefined) throw new AuthenticationError('credentials', 'No such user.');
    if (!valid) throw new AuthenticationError('credentials', 'Wrong password.');
    if (renewed === undefined || provider.savePasswordHash === undefined) return;
    await provider.savePasswordHash(user, renewed);
    badge.hasChangedUser = true;
  });
  return badge;
}

/** Reason why an authentication failed. Stable, and safe to show to the client. */
type AuthenticationFailure =
  | 'credentials'
  | 'throttled'
  | 'csrf'
  | 'disabled'
  | 'expired'
  | 'malformed'
  | 'token'
  | 'theft'
  | 'state'
  | 'provider';

const messages: Readonly<Record<AuthenticationFailure, string>> = {
  credentials: 'Invalid credentials.',
  throttled: 'Too many failed logins, please try again later.',
  csrf: 'The form did not come from this site, or has expired.',
  // The same text as for a wrong password, so that it does not reveal which accounts exist.
  disabled: 'Invalid credentials.',
  expired: 'The link or login has expired.',
  malformed: 'The login data is incomplete.',
  token: 'The access token is invalid.',
  state: 'The login was not started in this browser, or has expired.',
  provider: 'The other site did not confirm the login.',
  theft: 'This login was already used elsewhere, so all devices have been signed out.',
};

interface AuthenticationErrorOptions {
  readonly cause?: unknown;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter?: number;
}

/** Invalid credentials. `message` may be shown to the client; `detail` has the real cause. */
export class AuthenticationError extends Error {
  readonly reason: AuthenticationFailure;
  /** The real cause, for logs and records; must not be shown to the client. */
  readonly detail: string;
  readonly retryAfter: number | undefined;

  constructor(reason: AuthenticationFailure, detail: string, options: AuthenticationErrorOptions = {}) {
    super(messages[reason], options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.detail = detail;
    this.retryAfter = options.retryAfter;
  }

  static {
    nameErrors(this, 'AuthenticationError');
  }
}

/** Returns the message for a failure reason, e.g. from a query parameter; undefined for an unknown reason. */
export function failureMessage(reason: string): string | undefined {
  return Object.hasOwn(messages, reason) ? messages[reason as AuthenticationFailure] : undefined; // hasOwn has just found it in the table
}
