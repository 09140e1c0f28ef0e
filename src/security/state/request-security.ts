import { channel } from 'node:diagnostics_channel';
import type { Dispatcher } from '#events';
import type { AuthenticationAttempt, HttpRequest, RequestAuthentication } from '#http';
import type { Logger } from '#log';
import { type ScopeKey, createScopeKey } from '#scope';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecision, AccessDecider } from '../authorization/decide-access.js';
import type { CsrfGuard } from '../requests/csrf-guard.js';
import { securityErrors } from '../secrets/error-codes.js';
import type { Signer } from '../secrets/signed-cookies.js';
import type { Sessions } from '../sessions/sessions.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { Passwords } from '../users/passwords.js';
import type { Firewall } from './firewall.js';

/** The security state of one request, stored in its scope. */
export class RequestSecurity {
  readonly request: HttpRequest;
  readonly firewall: Firewall;
  readonly attempts: AuthenticationAttempt[] = [];
  readonly decisions: AccessDecision[] = [];
  /** Set-Cookie value that the remember-me listener adds to the response. */
  rememberMeCookie: string | undefined = undefined;
  #token: SecurityToken | undefined;
  #later: (() => Promise<void>) | undefined;
  #loading: Promise<void> | undefined;

  constructor(request: HttpRequest, firewall: Firewall) {
    this.request = request;
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
    return describeAuthentication(this.firewall, this.attempts, this.#token);
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

/** The authentication of most visitors, by firewall: no one tried to log in, and no one is. */
const anonymous = new WeakMap<Firewall, RequestAuthentication>();

/** Creates a frozen snapshot of the authentication. */
function describeAuthentication(
  firewall: Firewall,
  attempts: readonly AuthenticationAttempt[],
  token: SecurityToken | undefined,
): RequestAuthentication {
  const isAnonymous = token === undefined && attempts.length === 0;
  const known = isAnonymous ? anonymous.get(firewall) : undefined;
  if (known !== undefined) return known;
  const described = Object.freeze({
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
  if (isAnonymous) anonymous.set(firewall, described);
  return described;
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

/**
 * Names of the diagnostics channels of security. Messages are published within the scope of the request, and only created
 * if there are subscribers. `authentication`: when the firewall has evaluated a request, and again when a lazy firewall has
 * loaded the user; the last message is valid. `decision`: for every access decision. `session`: for every session value
 * that the application reads or writes.
 */
export const securityChannels = {
  authentication: 'lookback:security:authentication',
  decision: 'lookback:security:decision',
  session: 'lookback:security:session',
} as const;

/** Published on `lookback:security:decision`. */
export interface DecisionFacts extends AccessDecision {
  readonly firewall: string;
}

const authentication = channel(securityChannels.authentication);
const decisions = channel(securityChannels.decision);

/** Publishes the `RequestAuthentication` on `lookback:security:authentication`. */
export function publishAuthentication(security: RequestSecurity): void {
  if (authentication.hasSubscribers) authentication.publish(security.authentication);
}

export function publishDecision(security: RequestSecurity, decision: AccessDecision): void {
  if (!decisions.hasSubscribers) return;
  const facts: DecisionFacts = { ...decision, firewall: security.firewall.name };
  decisions.publish(facts);
}

/** Services shared by all steps of security. Contains no request state. */
export interface SecurityServices {
  readonly passwords: Passwords;
  readonly decider: AccessDecider;
  readonly sessions: Sessions | undefined;
  /** The session store if all processes share it. */
  readonly store: ExpiringStore | undefined;
  readonly signer: Signer;
  readonly csrf: CsrfGuard | undefined;
  /** Dispatches to the application's dispatcher once the listeners have been added to it. */
  readonly events: Pick<Dispatcher, 'dispatch'>;
  readonly audit: Pick<Logger, 'info' | 'notice' | 'warning'>;
}
