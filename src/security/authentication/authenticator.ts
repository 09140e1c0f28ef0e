import type { HttpRequest, HttpResponse } from '#http';
import type { AuthenticationError } from './authentication-error.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { CsrfGuard } from '../csrf/csrf-guard.js';
import type { Passwords } from '../passwords/passwords.js';

/** How clients prove who they are, as OpenAPI 3.1 describes it (Security Scheme Object). */
export interface SecurityScheme {
  readonly type: 'http' | 'apiKey' | 'mutualTLS' | 'oauth2' | 'openIdConnect';
  readonly [field: string]: unknown;
}

/**
 * Port: one way to authenticate. It reads the request and creates a passport; passports are checked elsewhere, all in
 * the same way. Contract suite: `checkAuthenticator`.
 */
export interface Authenticator {
  /** Unique in its firewall; how it is called in records. */
  readonly name: string;
  /** True for a login: the session remembers it (unless the firewall is stateless). False where every request proves it anew. */
  readonly isInteractive: boolean;
  /**
   * True if browsers send the credential automatically, whatever page sends the request: a cached basic login, a
   * certificate. Default false.
   */
  readonly isAmbient?: boolean;
  /** For descriptions of the application. A login needs none: what follows it is the session's cookie. */
  readonly scheme?: SecurityScheme;
  /** Whether the request carries what this authenticator reads. Reads headers, path and cookies only; never throws. */
  supports(request: HttpRequest): boolean;
  /** Throws an `AuthenticationError` where what the request carries cannot be read. */
  authenticate(request: HttpRequest): Passport | Promise<Passport>;
  /** The answer to a login; undefined lets the request continue. */
  onSuccess?(request: HttpRequest, token: SecurityToken): Answer;
  /** The answer to a failure; undefined lets the request continue anonymously. May throw an `HttpError`. */
  onFailure?(request: HttpRequest, error: AuthenticationError): Answer;
  /** The path of this site to open after the login: kept if a second factor comes first. */
  findTarget?(request: HttpRequest): string | undefined | Promise<string | undefined>;
  /** How an anonymous visitor is asked to log in: a response, or the value of `WWW-Authenticate` for a 401. */
  challenge?(request: HttpRequest): HttpResponse | string;
}

type Answer = HttpResponse | undefined | Promise<HttpResponse | undefined>;

/** The identity of a request, and how it was proved. */
export interface SecurityToken {
  readonly user: SecurityUser;
  /** The firewall that let the user in. */
  readonly firewall: string;
  /** The authenticator that did; never `session`, but the one that first logged the user in. */
  readonly authenticator: string;
  /** `remembered` is a user restored by a remember-me cookie: enough for greetings, not for changing passwords. */
  readonly strength: 'full' | 'remembered';
  /** The real user, while acting as another one. */
  readonly impersonator?: SecurityToken | undefined;
}

/** What a badge may need to be checked. */
export interface PassportContext {
  readonly request: HttpRequest;
  /** The user that the passport names; undefined if there is none (a check must then take as long, and fail). */
  readonly user: SecurityUser | undefined;
  readonly provider: UserProvider;
  readonly passwords: Passwords;
  readonly csrf: CsrfGuard | undefined;
  /** The session store, if all processes share it: for what must be counted once. */
  readonly store?: ExpiringStore | undefined;
}

/** One condition of a passport. It is met when its check does not throw, or when a listener sets `isResolved`. */
export interface Badge {
  readonly name: string;
  isResolved: boolean;
  /** Checked before the try is counted and before the user is looked for (`user` is then undefined). */
  readonly isPreliminary?: boolean;
  /** Throws an `AuthenticationError` where the condition is not met. */
  check?(context: PassportContext): void | Promise<void>;
}

/** What an authenticator found in a request: whom it claims to be, and the conditions for accepting that. */
export interface Passport {
  /** Identifier of the user, as the provider knows it. */
  readonly identifier: string;
  readonly badges: readonly Badge[];
  /** The user, where the authenticator knows better than the firewall's provider. */
  readonly loadUser?: () => SecurityUser | undefined | Promise<SecurityUser | undefined>;
  /** True where guessing is to be slowed down: passwords. */
  readonly isThrottled?: boolean;
  /** Whether the user asked to be remembered. */
  readonly wantsRememberMe?: boolean;
}
