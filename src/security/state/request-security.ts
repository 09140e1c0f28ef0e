import type { AuthenticationAttempt, HttpRequest, RequestAuthentication } from '#http';
import { type ScopeKey, createScopeKey } from '#scope';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecision } from '../authorization/access-decision.js';
import { securityErrors } from '../errors/error-codes.js';
import type { Firewall } from './firewall.js';

/** A login that has passed the first factor. */
export interface PendingLogin {
  readonly token: SecurityToken;
  readonly wantsRememberMe: boolean;
}

/** The security state of one request, stored in its scope. */
export class RequestSecurity {
  readonly firewall: Firewall;
  readonly attempts: AuthenticationAttempt[] = [];
  readonly decisions: AccessDecision[] = [];
  /** A login whose second factor is pending; the request is anonymous until then. */
  pending: PendingLogin | undefined = undefined;
  /** Set-Cookie value that the remember-me listener adds to the response. */
  rememberMeCookie: string | undefined = undefined;
  #token: SecurityToken | undefined;
  #later: (() => Promise<void>) | undefined;
  #loading: Promise<void> | undefined;

  constructor(firewall: Firewall) {
    this.firewall = firewall;
  }

  /**
   * The token; undefined for an anonymous visitor. Throws `SECURITY_USER_NOT_LOADED` if `load` has not been awaited yet.
   */
  get token(): SecurityToken | undefined {
    if (this.#later !== undefined) {
      throw securityErrors.create('SECURITY_USER_NOT_LOADED', { firewall: this.firewall.name });
    }
    return this.#token;
  }

  set token(token: SecurityToken | undefined) {
    this.#token = token;
  }

  /** The token as far as it is known now. Unlike `token`, it never throws; for use during authentication. */
  get tokenIfKnown(): SecurityToken | undefined {
    return this.#token;
  }

  /** The current result of the authentication, for records. */
  get authentication(): RequestAuthentication {
    const isStranger = this.#token === undefined && this.attempts.length === 0;
    return isStranger
      ? anonymousAuthentication(this.firewall)
      : describeAuthentication(this.firewall, this.attempts, this.#token);
  }

  /** Defers the work until `load` is called. */
  postpone(work: () => Promise<void>): void {
    this.#later = work;
  }

  /** Loads a deferred token. Returns undefined if the token is already known. */
  load(): Promise<void> | undefined {
    if (this.#later === undefined) return undefined;
    return (this.#loading ??= this.#later().then(() => {
      this.#later = undefined; // not after a failure: a user must not become anonymous because a store failed
    }));
  }
}

/** The security of the current request, set by the firewall. */
export const requestSecurity: ScopeKey<RequestSecurity> = createScopeKey<RequestSecurity>('security');

/** Returns the security of a request. Throws `SECURITY_NO_FIREWALL` if the firewall has not run yet. */
export function securityOf(request: HttpRequest): RequestSecurity {
  const security = request.scope.get(requestSecurity);
  if (security === undefined) throw securityErrors.create('SECURITY_NO_FIREWALL', {});
  return security;
}

/** Caches the result for requests without credentials, which is the same for all requests of a firewall. */
const anonymous = new WeakMap<Firewall, RequestAuthentication>();

function anonymousAuthentication(firewall: Firewall): RequestAuthentication {
  let facts = anonymous.get(firewall);
  if (facts === undefined) anonymous.set(firewall, (facts = describeAuthentication(firewall, [], undefined)));
  return facts;
}

/** Creates a frozen snapshot of the authentication. */
function describeAuthentication(
  firewall: Firewall,
  attempts: readonly AuthenticationAttempt[],
  token: SecurityToken | undefined,
): RequestAuthentication {
  return Object.freeze({
    firewall: firewall.name,
    isSecured: firewall.isSecured,
    isStateless: firewall.isStateless,
    isLazy: firewall.isLazy,
    provider: firewall.provider.name,
    entryPoint: firewall.entryPoint?.name,
    authenticators: Object.freeze(firewall.authenticators.map(({ name }) => name)),
    attempts: Object.freeze([...attempts]),
    token: token === undefined ? undefined : describeToken(token),
  });
}

function describeToken(token: SecurityToken): RequestAuthentication['token'] {
  return {
    identifier: token.user.identifier,
    roles: [...token.user.roles],
    authenticator: token.authenticator,
    strength: token.strength,
    impersonator: token.impersonator?.user.identifier,
  };
}
