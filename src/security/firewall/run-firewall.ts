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
 * Finds out who sends the request: the session's user, then the authenticators in their order, then remember-me; then a switch of
 * user, then the logout. Gives the response where one of them answers. Undefined at once where the request carries
 * nothing that could say who it is.
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
  const willing = firewall.authenticators.filter((authenticator) =>
    willTry(security, authenticator, request),
  );
  const { rememberMe, logout } = firewall;
  const isRemembered = rememberMe?.authenticator.supports(request) === true;
  const isLogout = logout?.matches(request) === true;
  const isLogin = willing.length > 0;
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
  return authenticate(services, security, { request, willing, isRemembered });
}

interface Work {
  readonly request: HttpRequest;
  readonly isRemembered: boolean;
}

async function authenticate(
  services: SecurityServices,
  security: RequestSecurity,
  { request, willing, isRemembered }: Work & { readonly willing: readonly Authenticator[] },
): Promise<HttpResponse | undefined> {
  const { firewall } = security;
  await restoreFromSession(services, security, request);
  for (const authenticator of willing) {
    const response = await authenticateWith(services, security, { request, authenticator });
    if (response !== undefined) return response;
  }
  if (isRemembered) await bringBack(services, security, request);
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
  if (work.isRemembered) await bringBack(services, security, work.request);
}

async function bringBack(
  services: SecurityServices,
  security: RequestSecurity,
  request: HttpRequest,
): Promise<void> {
  const { rememberMe } = security.firewall;
  if (rememberMe === undefined || security.tokenIfKnown !== undefined) return;
  await authenticateWith(services, security, { request, authenticator: rememberMe.authenticator });
}

function willTry(security: RequestSecurity, authenticator: Authenticator, request: HttpRequest): boolean {
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
 * Takes a user as found, as a test client wants it. Whom the provider knows is loaded from there, so that the user
 * belongs to this request like any other. Throws `SECURITY_ACTING_USER_UNKNOWN` for a name that no user has.
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

/** Logs the user out and gives the answer. Throws 403 if another site requested it. */
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
