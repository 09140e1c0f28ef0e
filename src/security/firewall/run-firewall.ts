import { authenticateWith } from './authenticate-request.js';
import type { Authenticator } from '../authentication/authenticator.js';
import { restoreFromSession } from './session-token.js';
import { type HttpRequest, HttpResponse, requestActingUser, type RequestUser } from '#http';
import type { RequestSecurity } from '../state/request-security.js';
import { publishAuthentication } from '../state/security-channels.js';
import type { SecurityServices } from '../state/security-services.js';
import { switchUser } from './switch-user.js';
import { securityErrors } from '../errors/error-codes.js';
import { ForbiddenError } from '#errors';
import { logoutEvent } from '../state/security-events.js';
import type { Logout } from '../state/firewall.js';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Authenticates a request: restores the user from the session, runs the authenticators in their order and remember-me, then
 * handles a switch of the user and the logout. Returns the response if one of them answers. Returns undefined synchronously
 * if the request carries no credentials, or if a lazy firewall defers loading the user.
 */
export function runFirewall(
  services: SecurityServices,
  security: RequestSecurity,
  request: HttpRequest,
): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  const { firewall } = security;
  if (!firewall.isSecured) return undefined;
  const acting = request.scope.get(requestActingUser);
  if (acting !== undefined) return actAs(security, acting);
  const candidates = firewall.authenticators.filter((authenticator) =>
    supportsRequest(security, authenticator, request),
  );
  const { rememberMe, logout } = firewall;
  const isRemembered = rememberMe?.authenticator.supports(request) === true;
  const isLogout = logout?.matches(request) === true;
  const isLogin = candidates.length > 0;
  const mayHaveSession = !firewall.isStateless && services.sessions?.mayHave(request) === true;
  if (!isLogin && !isRemembered && !isLogout && !mayHaveSession) return undefined;
  const switches = firewall.switchUser !== undefined && request.query.has(firewall.switchUser.parameter);
  if (firewall.isLazy && safeMethods.has(request.method) && !isLogin && !isLogout && !switches) {
    security.postpone(async () => {
      await restoreToken(services, security, { request, isRemembered });
      publishAuthentication(security);
    });
    return undefined;
  }
  return authenticate(services, security, { request, candidates, isRemembered });
}

interface Work {
  readonly request: HttpRequest;
  readonly isRemembered: boolean;
}

async function authenticate(
  services: SecurityServices,
  security: RequestSecurity,
  { request, candidates, isRemembered }: Work & { readonly candidates: readonly Authenticator[] },
): Promise<HttpResponse | undefined> {
  const { firewall } = security;
  await restoreFromSession(services, security, request);
  for (const authenticator of candidates) {
    const response = await authenticateWith(services, security, { request, authenticator });
    if (response !== undefined) return response;
  }
  if (isRemembered) await restoreRemembered(services, security, request);
  if (firewall.switchUser !== undefined) {
    const response = await switchUser(services, security, { request, switching: firewall.switchUser });
    if (response !== undefined) return response;
  }
  if (firewall.logout?.matches(request) === true) {
    return logOut(services, security, { request, logout: firewall.logout });
  }
  return undefined;
}

async function restoreToken(
  services: SecurityServices,
  security: RequestSecurity,
  work: Work,
): Promise<void> {
  await restoreFromSession(services, security, work.request);
  if (work.isRemembered) await restoreRemembered(services, security, work.request);
}

async function restoreRemembered(
  services: SecurityServices,
  security: RequestSecurity,
  request: HttpRequest,
): Promise<void> {
  const { rememberMe } = security.firewall;
  if (rememberMe === undefined || security.tokenIfKnown !== undefined) return;
  await authenticateWith(services, security, { request, authenticator: rememberMe.authenticator });
}

function supportsRequest(
  security: RequestSecurity,
  authenticator: Authenticator,
  request: HttpRequest,
): boolean {
  if (authenticator.supports(request)) return true;
  security.attempts.push({
    authenticator: authenticator.name,
    status: 'skipped',
    badges: [],
    detail: '',
    milliseconds: 0,
  });
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
  { request, logout }: { readonly request: HttpRequest; readonly logout: Logout },
): Promise<HttpResponse> {
  const verdict = (await services.csrf?.check(request)) ?? { allowed: true, reason: '' };
  if (!verdict.allowed)
    throw new ForbiddenError(`The logout did not come from this site: ${verdict.reason}.`);
  const { firewall, token } = security;
  const response = HttpResponse.redirect(logout.target(request));
  if (!firewall.isStateless) (await services.sessions?.open(request))?.invalidate();
  await firewall.rememberMe?.forget(request, security);
  if (logout.clearSiteData.length > 0) {
    response.headers.set('Clear-Site-Data', logout.clearSiteData.map((kind) => `"${kind}"`).join(', '));
  }
  services.audit.info('Logged out.', { firewall: firewall.name, user: token?.user.identifier });
  const event = { request, token, response };
  await services.events.dispatch(logoutEvent, event);
  security.token = undefined;
  security.pending = undefined;
  return event.response;
}
