import type { HttpRequest, HttpResponse } from '#http';
import type { AuthenticationError } from './authentication-error.js';
import type { Passport } from './passport.js';
import type { SecurityToken } from './security-token.js';

/** How clients prove who they are, as OpenAPI 3.1 describes it (Security Scheme Object). */
export interface SecurityScheme {
  readonly type: 'http' | 'apiKey' | 'mutualTLS' | 'oauth2' | 'openIdConnect';
  readonly [field: string]: unknown;
}

/**
 * Port: one way of saying who one is. It reads the request and makes a passport; whether the passport is good is
 * decided elsewhere, alike for all. Contract suite: `checkAuthenticator`.
 */
export interface Authenticator {
  /** Unique in its firewall; how it is called in records. */
  readonly name: string;
  /** True for a login: the session remembers it (unless the firewall is stateless). False where every request proves it anew. */
  readonly isInteractive: boolean;
  /** True where a browser proves it by itself, whoever's page sends the request: a cached basic login, a certificate. Default false. */
  readonly isAmbient?: boolean;
  /** For descriptions of the application. A login needs none: what follows it is the session's cookie. */
  readonly scheme?: SecurityScheme;
  /** Whether the request carries what this authenticator reads. Reads headers, path and cookies only; never throws. */
  supports(request: HttpRequest): boolean;
  /** Throws an `AuthenticationError` where what the request carries cannot be read. */
  authenticate(request: HttpRequest): Passport | Promise<Passport>;
  /** The answer to a login; undefined lets the request go on. */
  onSuccess?(request: HttpRequest, token: SecurityToken): Answer;
  /** The answer to a failure; undefined lets the request go on as a stranger's. May throw an `HttpError`. */
  onFailure?(request: HttpRequest, error: AuthenticationError): Answer;
  /** The path of this site that a login was asked to lead to: kept where a second factor is asked for before it does. */
  findTarget?(request: HttpRequest): string | undefined | Promise<string | undefined>;
  /** How a stranger is asked to log in: a response, or the value of `WWW-Authenticate` for a 401. */
  challenge?(request: HttpRequest): HttpResponse | string;
}

type Answer = HttpResponse | undefined | Promise<HttpResponse | undefined>;
