import { safely } from '#core/coded-error';
import { ForbiddenError } from '#core/errors';
import { localeRewrite, routingOutcome } from '#framework/kernel';
import {
  type HttpRequest,
  HttpResponse,
  locationOf,
  requestActingUser,
  type RequestUser,
  describeForeignOrigin,
} from '#core/http';
import type { Authenticator, SecurityToken } from '../authentication/authenticator.js';
import { securityErrors } from '../secrets/error-codes.js';
import type { Firewall, LogoutOptions } from '../state/firewall.js';
import { logoutEvent, type RequestSecurity, switchUserEvent } from '../state/request-security.js';
import { LoginAttempt } from './login-attempt.js';
import { requiredCheck, checkAccess } from './controller-checks.js';
import { restoreFromSession, storeTokenInSession } from './session-token.js';
import { locationFor } from '../login/target-path.js';
import { StoreUnavailableError } from '../stores/bound-store.js';

/**
 * Authenticates a request: restores the user from the session, runs the authenticators in order, then remember-me, then
 * handles a user switch and the logout. Returns the response if one of them answers. Returns undefined synchronously if
 * the request carries no credentials.
 */
export function runFirewall(
  security: RequestSecurity,
): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  const { firewall, request, services } = security;
  if (!firewall.isSecured) return undefined;
  const acting = request.scope.get(requestActingUser);
  if (acting !== undefined) return actAs(security, acting);
  const candidates = firewall.authenticators.filter((one) => supportsRequest(security, one));
  const needsWork =
    candidates.length > 0 ||
    firewall.rememberMe?.authenticator.supports(request) === true ||
    isLogoutRequest(security) ||
    (!firewall.isStateless && services.sessions?.of(request).hasId === true);
  return needsWork ? authenticate(security, candidates) : undefined;
}

async function authenticate(
  security: RequestSecurity,
  candidates: readonly Authenticator[],
): Promise<HttpResponse | undefined> {
  const { request, firewall } = security;
  const { rememberMe, logout } = firewall;
  await unlessUnavailable(security, 'session', () => restoreFromSession(security));
  for (const authenticator of candidates) {
    const response = await new LoginAttempt(security, authenticator).run();
    if (response !== undefined) return response;
  }
  const remembered = rememberMe?.authenticator;
  const isUnknown = security.failure === undefined && security.token === undefined;
  if (isUnknown && remembered?.supports(request) === true)
    await unlessUnavailable(security, remembered.name, async () => {
      await new LoginAttempt(security, remembered).run();
    });
  if (firewall.switchUser) {
    const response = await switchUser(security);
    if (response !== undefined) return response;
  }
  return logout !== undefined && isLogoutRequest(security) ? logOut(security, logout) : undefined;
}

/** Notes that a store is not available. The request fails only if it needs the user: most pages do not. */
async function unlessUnavailable(
  security: RequestSecurity,
  authenticator: string,
  restore: () => Promise<void>,
): Promise<void> {
  const began = performance.now();
  try {
    await restore();
  } catch (error) {
    if (!StoreUnavailableError.is(error)) throw error;
    security.fail(authenticator, error, performance.now() - began);
  }
}

// With GET, any page could log its visitors out with an image.
function isLogoutRequest(security: RequestSecurity): boolean {
  return security.request.method === 'POST' && isLogoutPath(security.firewall, security.request);
}

function isLogoutPath({ logout }: Firewall, request: HttpRequest): boolean {
  if (logout === undefined) return false;
  const { path = '/logout' } = logout;
  return typeof path === 'string' ? request.path === path : path(request);
}

/**
 * Notes that the firewall answers an unmatched request's path with other methods: a login or the logout, which need no
 * route. This also covers the localised path of such a page.
 */
export function noteOtherMethods(security: RequestSecurity): void {
  const { request, firewall } = security;
  if (!firewall.isSecured) return;
  const outcome = request.scope.getOwn(routingOutcome);
  const isRewritten = outcome?.kind === 'redirect' && outcome.by === localeRewrite;
  if (outcome?.kind !== 'not-found' && outcome?.kind !== 'method-not-allowed' && !isRewritten) return;
  const answers = answersOf(firewall, request);
  const methods = new Set(answers.flatMap(([, own]) => own));
  if (methods.size === 0 || methods.has(request.method)) return;
  const routed = outcome.kind === 'method-not-allowed' ? outcome.allow : [];
  const who = answers.map(([name, own]) => `${own.join(' or ')} (${name})`).join(', ');
  request.scope.set(routingOutcome, {
    kind: 'method-not-allowed',
    allow: [...new Set([...routed, ...methods])],
    fix: `The firewall ${firewall.name} answers this path with ${who}.`,
  });
}

/**
 * Returns the parts of a firewall that answer a request's path themselves, a login or the logout, with their methods.
 */
export function answersOf(
  firewall: Firewall,
  request: HttpRequest,
): readonly (readonly [name: string, methods: readonly string[]])[] {
  const logout = safely(() => isLogoutPath(firewall, request), false)
    ? (['logout', ['POST']] as const)
    : undefined;
  const logins = firewall.authenticators.map((one) => [one.name, methodsOf(one, request)] as const);
  return [...(logout === undefined ? [] : [logout]), ...logins].filter(([, methods]) => methods.length > 0);
}

/** Determines a login's methods, if it does not declare them, by asking which methods it would support. */
function methodsOf(authenticator: Authenticator, request: HttpRequest): readonly string[] {
  if (authenticator.methodsOf !== undefined)
    return safely(() => authenticator.methodsOf?.(request) ?? [], []);
  if (!authenticator.isInteractive) return [];
  return ['GET', 'POST'].filter((method) =>
    safely(() => authenticator.supports(withMethod(request, method)), false),
  );
}

function withMethod(request: HttpRequest, method: string): HttpRequest {
  return new Proxy(request, {
    get(target, name) {
      if (name === 'method') return method;
      const value: unknown = Reflect.get(target, name);
      // A request's getters and methods need the request itself.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value; // typed as any by the library
    },
  });
}

function supportsRequest({ request, attempts }: RequestSecurity, authenticator: Authenticator): boolean {
  if (authenticator.supports(request)) return true;
  const { name } = authenticator;
  attempts.push({ authenticator: name, status: 'skipped', badges: [], detail: '', milliseconds: 0 });
  return false;
}

/**
 * Sets the user that a test client acts as, loaded from the provider if it knows the user. Throws
 * `SECURITY_ACTING_USER_UNKNOWN`.
 */
async function actAs(security: RequestSecurity, acting: RequestUser | string): Promise<undefined> {
  const { firewall } = security;
  const identifier = typeof acting === 'string' ? acting : acting.identifier;
  const user = (await firewall.provider.findUser(identifier)) ?? acting;
  if (typeof user === 'string')
    throw securityErrors.create('SECURITY_ACTING_USER_UNKNOWN', { user, firewall: firewall.name });
  security.token = { user, firewall: firewall.name, authenticator: 'test client', strength: 'full' };
  return undefined;
}

/** Logs the user out and returns the response. Throws a 403 error if another site's page sent the request. */
async function logOut(
  security: RequestSecurity,
  { target = '/', clearSiteData = ['cookies', 'storage'] }: LogoutOptions,
): Promise<HttpResponse> {
  const { request, firewall, services, token } = security;
  const problem = services.csrf?.(request);
  if (problem !== undefined) throw new ForbiddenError(`The logout did not come from this site: ${problem}.`);
  const response = HttpResponse.redirect(locationFor(target, request));
  if (!firewall.isStateless) (await services.sessions?.of(request).open())?.invalidate();
  await firewall.rememberMe?.forget(request);
  if (clearSiteData.length > 0)
    response.headers.set('Clear-Site-Data', clearSiteData.map((kind) => `"${kind}"`).join(', '));
  services.audit()?.info('Logged out.', { firewall: firewall.name, user: token?.user.identifier });
  const event = { request, token, response };
  await services.events.dispatch(logoutEvent, event);
  security.token = undefined;
  return event.response;
}

/** Query parameter with the other user's identifier, and its value that ends impersonation. */
const switchParameter = '_switch_user';
const exitValue = '_exit';

/**
 * Starts or ends impersonation if the request has the parameter. Returns a redirect to the same URL without the
 * parameter; in a stateless firewall, returns undefined and impersonates for this request only. Throws a 403 error if
 * it is not allowed.
 */
async function switchUser(security: RequestSecurity): Promise<HttpResponse | undefined> {
  const { request, firewall, services } = security;
  const wanted = request.query.get(switchParameter);
  if (wanted === null || wanted === '') return undefined;
  const current = security.token;
  // The switch was requested twice, and the first request has already replaced this one's session id.
  const isRepeated = !firewall.isStateless && services.sessions?.of(request).isReplaced === true;
  if (current === undefined) return isRepeated ? HttpResponse.redirect(withoutSwitch(request)) : undefined;
  if (!comesFromThisSite(request) && requiredCheck(security) !== false) {
    const origin = request.headers.get('origin');
    const foreign = origin === undefined ? '' : ` (${describeForeignOrigin(request, origin)})`;
    throw new ForbiddenError(
      `Only a page on this site can switch the user: the request has neither "Sec-Fetch-Site: same-origin" nor an Origin or Referer of this site${foreign}.`,
    );
  }
  const real = current.impersonator ?? current;
  const next = wanted === exitValue ? real : await impersonate(security, real, wanted);
  if (next !== current) {
    security.token = next;
    await storeTokenInSession(security, next);
    services.audit()?.notice('Switched user.', { from: current.user.identifier, to: next.user.identifier });
    await services.events.dispatch(switchUserEvent, { request, from: current, to: next });
  }
  return firewall.isStateless ? undefined : HttpResponse.redirect(withoutSwitch(request));
}

/** Returns whether the request came from a page on this origin, or from the address bar. A subdomain is another origin. */
function comesFromThisSite({ headers, origin }: HttpRequest): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const from = headers.get('origin') ?? headers.get('referer') ?? '';
  return URL.canParse(from) && new URL(from).origin === origin;
}

/** Returns the token of `actor` acting as the wanted user. The permission is the real user's. */
async function impersonate(
  { firewall, request, services }: RequestSecurity,
  actor: SecurityToken,
  wanted: string,
): Promise<SecurityToken> {
  const user = await firewall.provider.findUser(wanted);
  const asker = { by: `${switchParameter} of firewall ${firewall.name}` };
  const question = { requirement: 'ROLE_ALLOWED_TO_SWITCH', subject: user, actor, asker };
  const decision = await checkAccess(request, question);
  if (decision.granted && user !== undefined && user.isEnabled !== false)
    return { ...actor, user, authenticator: 'switch-user', impersonator: actor, era: undefined };
  const facts = { from: actor.user.identifier, to: wanted.slice(0, 200) };
  services.audit()?.warning('Switching user refused.', facts);
  // The same error for an unknown user, so that it does not reveal which users exist.
  throw new ForbiddenError('Switching to this user is not allowed.');
}

function withoutSwitch(request: HttpRequest): string {
  const query = new URLSearchParams(request.query);
  query.delete(switchParameter);
  // A path that starts with two slashes would name another host.
  return locationOf((request.basePath + request.rawPath).replace(/^\/{2,}/, '/'), query.toString());
}
