import { channel } from 'node:diagnostics_channel';
import { type Dispatcher, defineEvent, type EventType } from '#core/events';
import { captureCallSites, type StackPlace } from '#core/errors';
import type { AuthenticationAttempt, HttpRequest, HttpResponse, RequestAuthentication } from '#core/http';
import type { Logger } from '#core/log';
import { type ScopeKey, createScopeKey } from '#core/scope';
import type { AuthenticationError, Passport, SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecision, AccessDecider } from '../authorization/decide-access.js';
import type { CsrfGuard } from '../requests/csrf-guard.js';
import { securityErrors } from '../secrets/error-codes.js';
import type { Signer } from '../secrets/signed-cookies.js';
import type { Sessions } from '../sessions/sessions.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { Passwords } from '../users/passwords.js';
import type { SecurityUser } from '../users/user-provider.js';
import type { Firewall } from './firewall.js';

export class RequestSecurity {
  readonly request: HttpRequest;
  readonly firewall: Firewall;
  readonly services: SecurityServices;
  readonly attempts: AuthenticationAttempt[] = [];
  #token: SecurityToken | undefined;
  #failure: Error | undefined;

  constructor(request: HttpRequest, firewall: Firewall, services: SecurityServices) {
    this.request = request;
    this.firewall = firewall;
    this.services = services;
  }

  /** Undefined for an anonymous visitor. Throws the store's error if it is unknown who the visitor is. */
  get token(): SecurityToken | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#token;
  }

  set token(token: SecurityToken | undefined) {
    this.#token = token;
    this.#failure = undefined;
  }

  /** Why it is unknown who the visitor is: the session store or the store of remembered logins is not available. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Notes that it is unknown who the visitor is. Requests that do not need the user continue. */
  fail(authenticator: string, error: Error, milliseconds: number): void {
    this.#failure = error;
    this.attempts.push({ authenticator, status: 'failure', badges: [], detail: error.message, milliseconds });
  }

  /** The current authentication result as a frozen snapshot, for records. */
  get authentication(): RequestAuthentication {
    const { firewall, attempts } = this;
    const token = this.#token;
    const isAnonymous = token === undefined && attempts.length === 0;
    const known = isAnonymous ? anonymous.get(firewall) : undefined;
    if (known !== undefined) return known;
    const described = Object.freeze({
      firewall: firewall.name,
      isSecured: firewall.isSecured,
      isStateless: firewall.isStateless,
      provider: firewall.provider.name,
      entryPoint: firewall.entryPoint?.name,
      authenticators: Object.freeze(firewall.authenticators.map(({ name }) => name)),
      attempts: Object.freeze([...attempts]),
      token: token && {
        identifier: token.user.identifier,
        roles: [...token.user.roles],
        ...this.#inheritedRoles(token),
        authenticator: token.authenticator,
        strength: token.strength,
        impersonator: token.impersonator?.user.identifier,
      },
    });
    if (isAnonymous) anonymous.set(firewall, described);
    return described;
  }

  #inheritedRoles({ user: { roles } }: SecurityToken): { readonly inheritedRoles?: readonly string[] } {
    const all = this.services.decider.reachableRoles(roles);
    const inheritedRoles = [...all].filter((role) => !roles.includes(role));
    return inheritedRoles.length === 0 ? {} : { inheritedRoles };
  }
}

/** Most visitors' authentication, by firewall: no login was attempted, and the user is anonymous. */
const anonymous = new WeakMap<Firewall, RequestAuthentication>();

export const requestSecurity: ScopeKey<RequestSecurity> = createScopeKey<RequestSecurity>('security');

/** Returns a request's security. Throws `SECURITY_NO_FIREWALL` if the firewall has not run yet. */
export function securityOf(request: HttpRequest): RequestSecurity {
  const security = request.scope.get(requestSecurity);
  if (security === undefined) throw securityErrors.create('SECURITY_NO_FIREWALL', {});
  return security;
}

/**
 * Names of the security diagnostics channels. Messages are published within the request's scope, and only created if
 * there are subscribers. `authentication`: when the firewall has evaluated a request. `decision`: for every access
 * decision. `session`: for every session value that the application reads or writes.
 */
export const securityChannels = {
  authentication: 'lookback:security:authentication',
  decision: 'lookback:security:decision',
  session: 'lookback:security:session',
} as const;

/** An access decision's origin. */
export interface DecisionAsker {
  /** `access rule 1 (path /admin)`, `isGranted of ArticleController.edit`, `security.decide`. */
  readonly by: string;
  /** The application call's location; absent for declared requirements. */
  readonly location?: StackPlace | undefined;
}

/** Published on `lookback:security:decision`. */
export interface DecisionFacts extends AccessDecision, DecisionAsker {
  readonly firewall: string;
}

const authentication = channel(securityChannels.authentication);
const decisions = channel(securityChannels.decision);

export function publishAuthentication(security: RequestSecurity): void {
  if (authentication.hasSubscribers) authentication.publish(security.authentication);
}

export function publishDecision(
  { firewall }: RequestSecurity,
  decision: AccessDecision,
  asker: DecisionAsker,
): void {
  if (!decisions.hasSubscribers) return;
  decisions.publish({ ...decision, ...asker, firewall: firewall.name } satisfies DecisionFacts);
}

/**
 * Returns the application's call above a function as the asker; its call site is captured only if someone records it.
 */
export function callAsAsker(by: string, below: (...args: never[]) => unknown): DecisionAsker {
  if (!decisions.hasSubscribers) return { by };
  const [location] = captureCallSites(below, { depth: 8, limit: 1 })();
  return { by, location };
}

/** Services that all security steps share. Has no request state. */
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
  /** The application log's `security` channel, which is created after its security; undefined without a log. */
  readonly audit: () => Logger | undefined;
}

/** Dispatched before a passport is checked. Listeners may throw an `AuthenticationError`. */
export interface CheckPassportEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly passport: Passport;
  readonly user: SecurityUser | undefined;
}

/** Dispatched after a successful login. A listener may set the response. */
export interface LoginSuccessEvent {
  readonly request: HttpRequest;
  readonly token: SecurityToken;
  /** False if every request carries credentials (access tokens, HTTP basic). */
  readonly isInteractive: boolean;
  response: HttpResponse | undefined;
}

/** Dispatched after a failed login. A listener may set the response. */
export interface LoginFailureEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly authenticator: string;
  /** The identifier that the client has sent; any text. */
  readonly identifier: string | undefined;
  readonly error: AuthenticationError;
  response: HttpResponse | undefined;
}

/** Dispatched when a user logs out. */
export interface LogoutEvent {
  readonly request: HttpRequest;
  /** Undefined if the request to the logout path was anonymous. */
  readonly token: SecurityToken | undefined;
  response: HttpResponse;
}

/** Dispatched when a session's user is no longer admitted: the user was removed, disabled, or has a new password. */
export interface DeauthenticatedEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly identifier: string;
  readonly reason: string;
}

/** Dispatched when a user starts or stops acting as another user. */
export interface SwitchUserEvent {
  readonly request: HttpRequest;
  readonly from: SecurityToken;
  readonly to: SecurityToken;
}

export const checkPassportEvent: EventType<CheckPassportEvent> = defineEvent('security.check_passport');
export const loginSuccessEvent: EventType<LoginSuccessEvent> = defineEvent('security.login_success');
export const loginFailureEvent: EventType<LoginFailureEvent> = defineEvent('security.login_failure');
export const logoutEvent: EventType<LogoutEvent> = defineEvent('security.logout');
export const deauthenticatedEvent: EventType<DeauthenticatedEvent> = defineEvent('security.deauthenticated');
export const switchUserEvent: EventType<SwitchUserEvent> = defineEvent('security.switch_user');
