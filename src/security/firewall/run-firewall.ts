import { ForbiddenError } from '#errors';
import { type HttpRequest, HttpResponse, requestActingUser, type RequestUser } from '#http';
import type { Authenticator, SecurityToken } from '../authentication/authenticator.js';
import { securityErrors } from '../secrets/error-codes.js';
import type { LogoutOptions, SwitchUserOptions } from '../state/firewall.js';
import {
  type RequestSecurity,
  publishAuthentication,
  type SecurityServices,
} from '../state/request-security.js';
import { logoutEvent, switchUserEvent } from '../state/security-events.js';
import { LoginAttempt } from './authenticate-request.js';
import { requiredCheck, checkAccess } from './controller-checks.js';
import { restoreFromSession, storeTokenInSession } from './session-token.js';
import { pathFor } from '../login/target-path.js';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Authenticates a request: restores the user from the session, runs the authenticators in their order and remember-me, then
 * handles a switch of the user and the logout. Returns the response if one of them answers. Returns undefined synchronously
 * if the request carries no credentials, or if a lazy firewall defers loading the user.
 */
export function runFirewall(
  services: SecurityServices,
  security: RequestSecurity,
): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  const { firewall, request } = security;
  if (!firewall.isSecured) return undefined;
  const acting = request.scope.get(requestActingUser);
  if (acting !== undefined) return actAs(security, acting);
  const candidates = firewall.authenticators.filter((one) => supportsRequest(security, one));
  const { rememberMe, switchUser: switching } = firewall;
  const isRemembered = rememberMe?.authenticator.supports(request) === true;
  const isLogout = isLogoutRequest(security);
  const isLogin = candidates.length > 0;
  const mayHaveSession = !firewall.isStateless && services.sessions?.of(request).hasId === true;
  if (!isLogin && !isRemembered && !isLogout && !mayHaveSession) return undefined;
  const switches = switching !== undefined && request.query.has(parameterOf(switching));
  if (firewall.isLazy && safeMethods.has(request.method) && !isLogin && !isLogout && !switches) {
    security.postpone(async () => {
      await restoreFromSession(services, security);
      if (isRemembered) await restoreRemembered(services, security);
      publishAuthentication(security);
    });
    return undefined;
  }
  return authenticate(services, security, candidates, { isRemembered });
}

async function authenticate(
  services: SecurityServices,
  security: RequestSecurity,
  candidates: readonly Authenticator[],
  { isRemembered }: { readonly isRemembered: boolean },
): Promise<HttpResponse | undefined> {
  const { switchUser: switching, logout } = security.firewall;
  await restoreFromSession(services, security);
  for (const authenticator of candidates) {
    const response = await new LoginAttempt(services, security, authenticator).run();
    if (response !== undefined) return response;
  }
  if (isRemembered) await restoreRemembered(services, security);
  if (switching !== undefined) {
    const response = await switchUser(services, security, switching);
    if (response !== undefined) return response;
  }
  return logout !== undefined && isLogoutRequest(security) ? logOut(services, security, logout) : undefined;
}

function isLogoutRequest({ request, firewall: { logout } }: RequestSecurity): boolean {
  if (logout === undefined) return false;
  const { path = '/logout', methods = ['POST'] } = logout;
  return (
    methods.includes(request.method) && (typeof path === 'string' ? request.path === path : path(request))
  );
}

async function restoreRemembered(services: SecurityServices, security: RequestSecurity): Promise<void> {
  const { rememberMe } = security.firewall;
  if (rememberMe === undefined || security.tokenIfKnown !== undefined) return;
  await new LoginAttempt(services, security, rememberMe.authenticator).run();
}

function supportsRequest({ request, attempts }: RequestSecurity, authenticator: Authenticator): boolean {
  if (authenticator.supports(request)) return true;
  const { name } = authenticator;
  attempts.push({ authenticator: name, status: 'skipped', badges: [], detail: '', milliseconds: 0 });
  return false;
}

/**
 * Sets the user that a test client acts as, without authentication. A user known to the provider is loaded from it, as for
 * any other request. Throws `SECURITY_ACTING_USER_UNKNOWN` for an identifier without a user.
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

/** Logs the user out and returns the response. Throws a 403 error if a page of another site sent the request. */
async function logOut(
  services: SecurityServices,
  security: RequestSecurity,
  { target = '/', clearSiteData = ['cookies', 'storage'] }: LogoutOptions,
): Promise<HttpResponse> {
  const { request, firewall, token } = security;
  const verdict = services.csrf?.check(request) ?? { allowed: true, reason: '' };
  if (!verdict.allowed)
    throw new ForbiddenError(`The logout did not come from this site: ${verdict.reason}.`);
  const response = HttpResponse.redirect(pathFor(target, request));
  if (!firewall.isStateless) (await services.sessions?.of(request).open())?.invalidate();
  await firewall.rememberMe?.forget(security);
  if (clearSiteData.length > 0)
    response.headers.set('Clear-Site-Data', clearSiteData.map((kind) => `"${kind}"`).join(', '));
  services.audit.info('Logged out.', { firewall: firewall.name, user: token?.user.identifier });
  const event = { request, token, response };
  await services.events.dispatch(logoutEvent, event);
  security.token = undefined;
  return event.response;
}

function parameterOf({ parameter = '_switch_user' }: SwitchUserOptions): string {
  return parameter;
}

/** Parameter value that ends impersonation. */
const exitValue = '_exit';

/**
 * Starts or ends impersonation if the request has the parameter. Returns a redirect to the same URL without the parameter;
 * in a stateless firewall, returns undefined and impersonates for this request only. Throws a 403 error if it is not
 * allowed.
 */
async function switchUser(
  services: SecurityServices,
  security: RequestSecurity,
  switching: SwitchUserOptions,
): Promise<HttpResponse | undefined> {
  const { request } = security;
  const parameter = parameterOf(switching);
  const wanted = request.query.get(parameter);
  const current = security.token;
  if (wanted === null || wanted === '' || current === undefined) return undefined;
  if (!comesFromThisSite(request) && requiredCheck(security) !== false) {
    throw new ForbiddenError(
      'Only a page of this site may switch the user: the request has neither "Sec-Fetch-Site: same-origin" nor an own Origin or Referer.',
    );
  }
  const next =
    wanted === exitValue
      ? (current.impersonator ?? current)
      : await impersonate(services, security, switching, wanted);
  if (next !== current) {
    security.token = next;
    await storeTokenInSession(services, security, next);
    services.audit.notice('Switched user.', { from: current.user.identifier, to: next.user.identifier });
    await services.events.dispatch(switchUserEvent, { request, from: current, to: next });
  }
  return security.firewall.isStateless
    ? undefined
    : HttpResponse.redirect(withoutParameter(request, parameter));
}

/** Returns whether a page of this origin, or the visitor's own hand, sent the request. A subdomain is another origin. */
function comesFromThisSite({ headers, origin }: HttpRequest): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const from = headers.get('origin') ?? headers.get('referer') ?? '';
  return URL.canParse(from) && new URL(from).origin === origin;
}

async function impersonate(
  services: SecurityServices,
  security: RequestSecurity,
  { attribute = 'ROLE_ALLOWED_TO_SWITCH' }: SwitchUserOptions,
  wanted: string,
): Promise<SecurityToken> {
  const { firewall, request } = security;
  // A user who already impersonates another one needs the permission as the real user.
  const actor = security.token?.impersonator ?? security.token;
  const user = await firewall.provider.findUser(wanted);
  const question = { requirement: attribute, subject: user, actor };
  const decision = await checkAccess(services, request, question);
  if (!decision.granted || user === undefined || user.isEnabled === false || actor === undefined) {
    services.audit.warning('Switching user refused.', {
      from: actor?.user.identifier,
      to: wanted.slice(0, 200),
    });
    // The same error for an unknown user, so that it does not reveal which users exist.
    throw new ForbiddenError('Switching to this user is not allowed.');
  }
  return {
    user,
    firewall: firewall.name,
    authenticator: 'switch-user',
    strength: actor.strength,
    impersonator: actor,
  };
}

function withoutParameter(request: HttpRequest, parameter: string): string {
  const query = new URLSearchParams(request.query);
  query.delete(parameter);
  // A path that starts with two slashes would name another host.
  const path = request.rawPath.replace(/^\/{2,}/, '/').replaceAll('\\', '%5C');
  return path + (query.size === 0 ? '' : `?${query.toString()}`);
}
