import type { HttpRequest, HttpResponse } from '#http';
import {
  type Authenticator,
  AuthenticationError,
  type Badge,
  type Passport,
  type SecurityToken,
} from '../authentication/authenticator.js';
import type { AttemptOutcome, LoginThrottle } from '../authentication/login-throttle.js';
import { securityErrors } from '../secrets/error-codes.js';
import { storeTokenInSession } from './session-token.js';
import type { RequestSecurity, SecurityServices } from '../state/request-security.js';
import { checkPassportEvent, loginFailureEvent, loginSuccessEvent } from '../state/security-events.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';

/** Authenticates a request with one authenticator. */
export class LoginAttempt {
  readonly #services: SecurityServices;
  readonly #security: RequestSecurity;
  readonly #authenticator: Authenticator;
  readonly #request: HttpRequest;
  readonly #began = performance.now();
  #passport: Passport | undefined;
  #hasNewHash = false;

  constructor(services: SecurityServices, security: RequestSecurity, authenticator: Authenticator) {
    this.#services = services;
    this.#security = security;
    this.#authenticator = authenticator;
    this.#request = security.request;
  }

  /**
   * Returns the response to the login or to its failure; undefined lets the request continue, with `security.token` set if
   * the login succeeded.
   */
  async run(): Promise<HttpResponse | undefined> {
    const security = this.#security;
    try {
      const token = await this.#readToken();
      this.#record('success', '');
      security.token = token;
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      this.#record('failure', error.detail);
      return this.#answerFailure(error);
    }
    return this.#answerSuccess();
  }

  async #readToken(): Promise<SecurityToken> {
    const { firewall } = this.#security;
    const passport = await this.#authenticator.authenticate(this.#request);
    this.#passport = passport;
    // No identifier has control characters or lone surrogates, and databases fail on them: the login must not answer 500.
    if (/[\p{Cc}\p{Cs}]/u.test(passport.identifier))
      throw new AuthenticationError('malformed', badIdentifier);
    const early = passport.badges.filter((badge) => badge.isPreliminary === true);
    await this.#checkBadges(early, undefined);
    const user =
      passport.isThrottled === true && firewall.throttle !== undefined
        ? await this.#checkThrottled(passport, firewall.throttle)
        : await this.#checkPassport(passport);
    const strength = this.#authenticator === firewall.rememberMe?.authenticator ? 'remembered' : 'full';
    return { user, firewall: firewall.name, authenticator: this.#authenticator.name, strength };
  }

  /** Checks the passport of a throttled login: counts the attempt and settles it with its outcome. */
  async #checkThrottled(passport: Passport, throttle: LoginThrottle): Promise<SecurityUser> {
    const { identifier } = passport;
    const address = this.#request.clientAddress;
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
    const { provider, name: firewall } = this.#security.firewall;
    const findUser = async (): Promise<SecurityUser | undefined> =>
      passport.loadUser === undefined ? provider.findUser(passport.identifier) : passport.loadUser();
    const user = await findUser();
    const event = { request: this.#request, firewall, passport, user };
    await this.#services.events.dispatch(checkPassportEvent, event);
    await this.#checkBadges(passport.badges, user);
    if (user === undefined) throw new AuthenticationError('credentials', 'No such user.');
    if (user.isEnabled === false) throw new AuthenticationError('disabled', 'The user is disabled.');
    // A renewed password hash has changed the fingerprint that sessions and cookies are bound to.
    return this.#hasNewHash ? ((await findUser()) ?? user) : user;
  }

  async #checkBadges(badges: readonly Badge[], user: SecurityUser | undefined): Promise<void> {
    const { passwords, csrf, store } = this.#services;
    const provider = this.#watchHashes(this.#security.firewall.provider);
    const context = { request: this.#request, user, provider, passwords, csrf, store };
    for (const badge of badges) {
      if (badge.isResolved) continue;
      if (badge.check === undefined) {
        const authenticator = this.#authenticator.name;
        throw securityErrors.create('SECURITY_BADGE_UNRESOLVED', { authenticator, badge: badge.name });
      }
      await badge.check(context);
      badge.isResolved = true;
    }
  }

  /** The provider, which also notes here that it stored a hash. */
  #watchHashes(provider: UserProvider): UserProvider {
    if (provider.savePasswordHash === undefined) return provider;
    return {
      name: provider.name,
      findUser: (identifier) => provider.findUser(identifier),
      savePasswordHash: (user, hash) => {
        this.#hasNewHash = true;
        return provider.savePasswordHash?.(user, hash);
      },
    };
  }

  async #answerSuccess(): Promise<HttpResponse | undefined> {
    const request = this.#request;
    const { tokenIfKnown: token, firewall } = this.#security;
    const { isInteractive } = this.#authenticator;
    if (token === undefined) return undefined;
    if (isInteractive) await storeTokenInSession(this.#services, this.#security, token);
    if (token.strength === 'full' && isInteractive)
      await firewall.rememberMe?.remember(this.#security, token.user, {
        wanted: this.#passport?.wantsRememberMe ?? false,
      });
    const user = token.user.identifier;
    this.#services.audit.info('Login succeeded.', { ...this.#auditFacts(), user });
    const response = await this.#authenticator.onSuccess?.(request, token);
    const event = { request, token, isInteractive, response };
    await this.#services.events.dispatch(loginSuccessEvent, event);
    return event.response;
  }

  async #answerFailure(error: AuthenticationError): Promise<HttpResponse | undefined> {
    const request = this.#request;
    const identifier = this.#passport?.identifier;
    const { reason, detail } = error;
    const facts = { ...this.#auditFacts(), user: identifier, reason, detail };
    this.#services.audit.warning('Login failed.', facts);
    const event = {
      request,
      firewall: this.#security.firewall.name,
      authenticator: this.#authenticator.name,
      identifier,
      error,
      response: undefined as HttpResponse | undefined, // set by a listener
    };
    await this.#services.events.dispatch(loginFailureEvent, event);
    return event.response ?? this.#authenticator.onFailure?.(request, error);
  }

  #auditFacts(): object {
    const { name: firewall } = this.#security.firewall;
    return { firewall, authenticator: this.#authenticator.name, address: this.#request.clientAddress };
  }

  #record(status: 'success' | 'failure', detail: string): void {
    this.#security.attempts.push({
      authenticator: this.#authenticator.name,
      status,
      badges: (this.#passport?.badges ?? []).map(({ name, isResolved }) => ({ name, isResolved })),
      detail,
      milliseconds: performance.now() - this.#began,
    });
  }
}

const badIdentifier = 'The identifier holds a control character or half a character.';
