import type { HttpRequest, HttpResponse } from '#http';
import type { Firewall } from '../state/firewall.js';
import type { RequestSecurity } from '../state/request-security.js';
import { checkPassportEvent, loginFailureEvent, loginSuccessEvent } from '../state/security-events.js';
import { storePendingLogin } from './session-token.js';
import type { SecurityServices } from '../state/security-services.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator, SecurityToken, Badge, Passport } from '../authentication/authenticator.js';
import type { LoginThrottle, AttemptOutcome } from '../authentication/login-throttle.js';
import { securityErrors } from '../errors/error-codes.js';
import type { SecurityUser } from '../users/user-provider.js';

interface Attempt {
  readonly request: HttpRequest;
  readonly firewall: Firewall;
  readonly authenticator: Authenticator;
  passport: Passport | undefined;
}

/**
 * Authenticates a request with one authenticator. Returns the response to the login or to its failure; undefined lets the
 * request continue, with `security.token` set if the login succeeded.
 */
export async function authenticateWith(
  services: SecurityServices,
  security: RequestSecurity,
  { request, authenticator }: Pick<Attempt, 'request' | 'authenticator'>,
): Promise<HttpResponse | undefined> {
  const attempt: Attempt = { request, firewall: security.firewall, authenticator, passport: undefined };
  const began = performance.now();
  try {
    const token = await authenticatePassport(services, attempt);
    if (await needsSecondFactor(attempt, token)) {
      record(security, attempt, { status: 'success', detail: 'the second factor is still to come', began });
      return await requestSecondFactor(services, security, { ...attempt, token });
    }
    record(security, attempt, { status: 'success', detail: '', began });
    security.token = token;
    security.pending = undefined;
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    record(security, attempt, { status: 'failure', detail: error.detail, began });
    return answerFailure(services, attempt, error);
  }
  return answerSuccess(services, security, attempt);
}

/**
 * Returns whether the second factor must be requested after this login. Throws if the user needs one but sends a password
 * with every request, which cannot be combined with a second factor.
 */
async function needsSecondFactor(
  { firewall, authenticator, passport }: Attempt,
  { strength, user }: SecurityToken,
): Promise<boolean> {
  const { secondFactor } = firewall;
  if (secondFactor === undefined || authenticator === secondFactor.authenticator) return false;
  const isPassword = passport?.isThrottled === true;
  if (strength === 'remembered' || (!authenticator.isInteractive && !isPassword)) return false;
  if (!(await secondFactor.isRequired(user))) return false;
  if (authenticator.isInteractive) return true;
  throw new AuthenticationError(
    'second-factor',
    'This user needs a second factor in addition to the password.',
  );
}

async function requestSecondFactor(
  services: SecurityServices,
  security: RequestSecurity,
  { request, firewall, authenticator, passport, token }: Attempt & { readonly token: SecurityToken },
): Promise<HttpResponse | undefined> {
  const login = { token, wantsRememberMe: passport?.wantsRememberMe ?? false };
  await storePendingLogin(services, { request, firewall, login });
  security.token = undefined;
  security.pending = login;
  services.audit.info('First factor accepted.', {
    ...auditFacts(request, firewall, authenticator),
    user: token.user.identifier,
  });
  return firewall.secondFactor?.challenge(request, (await authenticator.findTarget?.(request)) ?? null);
}

async function authenticatePassport(services: SecurityServices, attempt: Attempt): Promise<SecurityToken> {
  const { request, firewall, authenticator } = attempt;
  const passport = await authenticator.authenticate(request);
  attempt.passport = passport;
  // No identifier has control characters or lone surrogates, and databases fail on them: the login must not answer 500.
  if (/[\p{Cc}\p{Cs}]/u.test(passport.identifier))
    throw new AuthenticationError(
      'malformed',
      'The identifier holds a control character or half a character.',
    );
  const early = passport.badges.filter((badge) => badge.isPreliminary === true);
  await checkBadges(services, attempt, { badges: early, user: undefined });
  const user =
    passport.isThrottled === true && firewall.throttle !== undefined
      ? await checkThrottled(services, attempt, { passport, throttle: firewall.throttle })
      : await checkPassport(services, attempt, passport);
  const strength = authenticator === firewall.rememberMe?.authenticator ? 'remembered' : 'full';
  return { user, firewall: firewall.name, authenticator: authenticator.name, strength };
}

/** Checks the passport of a throttled login: counts the attempt and settles it with its outcome. */
async function checkThrottled(
  services: SecurityServices,
  attempt: Attempt,
  { passport, throttle }: { readonly passport: Passport; readonly throttle: LoginThrottle },
): Promise<SecurityUser> {
  const { identifier } = passport;
  const address = attempt.request.clientAddress;
  const retryAfter = await throttle.take(identifier, address);
  if (retryAfter !== undefined)
    throw new AuthenticationError('throttled', 'Too many attempts.', { retryAfter });
  let outcome: AttemptOutcome = 'unknown';
  try {
    const user = await checkPassport(services, attempt, passport);
    outcome = 'success';
    return user;
  } catch (error) {
    if (error instanceof AuthenticationError) outcome = 'failure';
    throw error;
  } finally {
    await throttle.settle(identifier, address, outcome);
  }
}

async function checkPassport(
  services: SecurityServices,
  attempt: Attempt,
  passport: Passport,
): Promise<SecurityUser> {
  const { request, firewall } = attempt;
  const user = await findUser(firewall, passport);
  await services.events.dispatch(checkPassportEvent, { request, firewall: firewall.name, passport, user });
  await checkBadges(services, attempt, { badges: passport.badges, user });
  if (user === undefined) throw new AuthenticationError('credentials', 'No such user.');
  if (user.isEnabled === false) throw new AuthenticationError('disabled', 'The user is disabled.');
  // Loads the user again: renewing the password hash has changed the fingerprint that sessions and cookies are bound to.
  return passport.isThrottled === true ? ((await findUser(firewall, passport)) ?? user) : user;
}

async function findUser(firewall: Firewall, passport: Passport): Promise<SecurityUser | undefined> {
  return passport.loadUser === undefined
    ? firewall.provider.findUser(passport.identifier)
    : passport.loadUser();
}

async function checkBadges(
  services: SecurityServices,
  { request, firewall, authenticator }: Attempt,
  { badges, user }: { badges: readonly Badge[]; user: SecurityUser | undefined },
): Promise<void> {
  const { passwords, csrf, store } = services;
  const context = { request, user, provider: firewall.provider, passwords, csrf, store };
  for (const badge of badges) {
    if (badge.isResolved) continue;
    if (badge.check === undefined) {
      throw securityErrors.create('SECURITY_BADGE_UNRESOLVED', {
        authenticator: authenticator.name,
        badge: badge.name,
      });
    }
    await badge.check(context);
    badge.isResolved = true;
  }
}

async function answerSuccess(
  services: SecurityServices,
  security: RequestSecurity,
  { request, firewall, authenticator, passport }: Attempt,
): Promise<HttpResponse | undefined> {
  const token = security.tokenIfKnown;
  if (token === undefined) return undefined;
  if (authenticator.isInteractive) await services.saveToSession(request, firewall, token);
  if (token.strength === 'full' && authenticator.isInteractive) {
    const wanted = passport?.wantsRememberMe ?? false;
    await firewall.rememberMe?.remember(request, token.user, { wanted, security });
  }
  services.audit.info('Login succeeded.', {
    ...auditFacts(request, firewall, authenticator),
    user: token.user.identifier,
  });
  const { isInteractive } = authenticator;
  const event = { request, token, isInteractive, response: await authenticator.onSuccess?.(request, token) };
  await services.events.dispatch(loginSuccessEvent, event);
  return event.response;
}

async function answerFailure(
  services: SecurityServices,
  { request, firewall, authenticator, passport }: Attempt,
  error: AuthenticationError,
): Promise<HttpResponse | undefined> {
  services.audit.warning('Login failed.', {
    ...auditFacts(request, firewall, authenticator),
    user: passport?.identifier,
    reason: error.reason,
    detail: error.detail,
  });
  const event = {
    request,
    firewall: firewall.name,
    authenticator: authenticator.name,
    identifier: passport?.identifier,
    error,
    response: undefined as HttpResponse | undefined, // set by a listener
  };
  await services.events.dispatch(loginFailureEvent, event);
  return event.response ?? authenticator.onFailure?.(request, error);
}

function auditFacts(request: HttpRequest, firewall: Firewall, authenticator: Authenticator): object {
  return { firewall: firewall.name, authenticator: authenticator.name, address: request.clientAddress };
}

function record(
  security: RequestSecurity,
  { authenticator, passport }: Attempt,
  { status, detail, began }: { status: 'success' | 'failure'; detail: string; began: number },
): void {
  security.attempts.push({
    authenticator: authenticator.name,
    status,
    badges: (passport?.badges ?? []).map(({ name, isResolved }) => ({ name, isResolved })),
    detail,
    milliseconds: performance.now() - began,
  });
}
