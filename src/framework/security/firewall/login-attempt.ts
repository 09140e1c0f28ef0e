import { type AuthenticationAttempt, type HttpResponse, requestRefusal } from '#core/http';
import {
  type Authenticator,
  AuthenticationError,
  type Badge,
  type Passport,
  type SecurityToken,
} from '../authentication/authenticator.js';
import type { AttemptOutcome, LoginThrottle } from '../authentication/login-throttle.js';
import {
  checkPassportEvent,
  loginFailureEvent,
  loginSuccessEvent,
  type RequestSecurity,
} from '../state/request-security.js';
import type { SecurityUser } from '../users/user-provider.js';
import { storeTokenInSession } from './session-token.js';

export class LoginAttempt {
  readonly #security: RequestSecurity;
  readonly #authenticator: Authenticator;
  readonly #began = performance.now();
  #passport: Passport | undefined;

  constructor(security: RequestSecurity, authenticator: Authenticator) {
    this.#security = security;
    this.#authenticator = authenticator;
  }

  /**
   * Returns the response to the login or its failure; undefined lets the request continue, with `token` set after a
   * success.
   */
  async run(): Promise<HttpResponse | undefined> {
    let token: SecurityToken;
    try {
      token = await this.#readToken();
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      this.#record('failure', error.detail);
      return this.#answerFailure(error);
    }
    this.#record('success', '');
    this.#security.token = token;
    return this.#answerSuccess(token);
  }

  async #readToken(): Promise<SecurityToken> {
    const { firewall, request } = this.#security;
    const passport = await this.#authenticator.authenticate(request);
    this.#passport = passport;
    // Identifiers have no control characters or lone surrogates, and databases fail on them: the login must not answer
    // 500.
    if (/[\p{Cc}\p{Cs}]/u.test(passport.identifier))
      throw new AuthenticationError('malformed', badIdentifier);
    const early = passport.badges.filter((badge) => badge.isPreliminary === true);
    await this.#checkBadges(early, undefined);
    const user =
      passport.isThrottled === true && firewall.throttle !== undefined
        ? await this.#checkThrottled(passport, firewall.throttle)
        : await this.#checkPassport(passport);
    const { name } = this.#authenticator;
    const { rememberMe } = firewall;
    return rememberMe?.authenticator === this.#authenticator
      ? {
          user,
          firewall: firewall.name,
          authenticator: name,
          strength: 'remembered',
          era: rememberMe.eraOf(request),
        }
      : { user, firewall: firewall.name, authenticator: name, strength: 'full' };
  }

  /** Checks a throttled login's passport: counts the attempt and settles it with its outcome. */
  async #checkThrottled(passport: Passport, throttle: LoginThrottle): Promise<SecurityUser> {
    const { identifier } = passport;
    const address = this.#security.request.clientAddress;
    const retryAfter = await throttle.take(identifier, address);
    if (retryAfter !== undefined)
      throw new AuthenticationError('throttled', 'Too many attempts.', { retryAfter });
    let outcome: AttemptOutcome = 'unknown';
    try {
      const user = await this.#checkPassport(passport);
      outcome = 'success';
      return user;
    } catch (error) {
      if (error instanceof AuthenticationError) outcome = 'failure';
      throw error;
    } finally {
      await throttle.settle(identifier, address, outcome);
    }
  }

  async #checkPassport(passport: Passport): Promise<SecurityUser> {
    const { firewall, request, services } = this.#security;
    const findUser = (): SecurityUser | undefined | Promise<SecurityUser | undefined> =>
      passport.loadUser === undefined ? firewall.provider.findUser(passport.identifier) : passport.loadUser();
    const user = await findUser();
    const event = { request, firewall: firewall.name, passport, user };
    await services.events.dispatch(checkPassportEvent, event);
    await this.#checkBadges(passport.badges, user);
    if (user === undefined) throw new AuthenticationError('credentials', 'No such user.');
    if (user.isEnabled === false) throw new AuthenticationError('disabled', 'The user is disabled.');
    // A renewed password hash has changed the fingerprint that sessions and cookies are bound to.
    const hasChanged = passport.badges.some(({ hasChangedUser }) => hasChangedUser === true);
    return hasChanged ? ((await findUser()) ?? user) : user;
  }

  async #checkBadges(badges: readonly Badge[], user: SecurityUser | undefined): Promise<void> {
    const { request, firewall, services } = this.#security;
    const { passwords, csrf, store } = services;
    const { provider } = firewall;
    for (const badge of badges) {
      if (badge.isResolved) continue;
      await badge.check({ request, user, provider, passwords, csrf, store });
      badge.isResolved = true;
    }
  }

  async #answerSuccess(token: SecurityToken): Promise<HttpResponse | undefined> {
    const { request, firewall, services } = this.#security;
    const { isInteractive } = this.#authenticator;
    const { user, strength } = token;
    if (isInteractive) await storeTokenInSession(this.#security, token);
    if (isInteractive && strength === 'full') {
      const wanted = this.#passport?.wantsRememberMe ?? false;
      await firewall.rememberMe?.remember(request, user, { wanted });
    }
    services.audit()?.info('Login succeeded.', { ...this.#auditFacts(), user: user.identifier });
    const response = await this.#authenticator.onSuccess?.(request, token);
    const event = { request, token, isInteractive, response };
    await services.events.dispatch(loginSuccessEvent, event);
    return event.response;
  }

  async #answerFailure(error: AuthenticationError): Promise<HttpResponse | undefined> {
    const { request, firewall, services } = this.#security;
    const { reason, detail } = error;
    if (reason === 'csrf' || reason === 'throttled')
      request.scope.set(requestRefusal, new Error(`The login was refused: ${detail}`, { cause: error }));
    const identifier = this.#passport?.identifier;
    services.audit()?.warning('Login failed.', { ...this.#auditFacts(), user: identifier, reason, detail });
    const event = {
      request,
      firewall: firewall.name,
      authenticator: this.#authenticator.name,
      identifier,
      error,
      response: undefined as HttpResponse | undefined, // set by a listener
    };
    await services.events.dispatch(loginFailureEvent, event);
    return event.response ?? this.#authenticator.onFailure?.(request, error);
  }

  #auditFacts(): object {
    const { firewall, request } = this.#security;
    return {
      firewall: firewall.name,
      authenticator: this.#authenticator.name,
      address: request.clientAddress,
    };
  }

  #record(status: AuthenticationAttempt['status'], detail: string): void {
    this.#security.attempts.push({
      authenticator: this.#authenticator.name,
      status,
      badges: (this.#passport?.badges ?? []).map(({ name, isResolved }) => ({ name, isResolved })),
      detail,
      milliseconds: performance.now() - this.#began,
    });
  }
}

const badIdentifier = 'The identifier contains a control character or a lone surrogate.';
