import { ForbiddenError } from '#errors';
import type { HttpRequest } from '#http';
import { HttpResponse } from '#http';
import type { RequestSecurity } from '../state/request-security.js';
import { logoutEvent } from '../state/security-events.js';
import { pendingKey } from './session-token.js';
import type { SecurityServices } from '../state/security-services.js';
import type { Logout } from '../state/logout-options.js';

/** Logs the user out and gives the answer. Throws 403 where another site asked for it. */
export async function logOut(
  services: SecurityServices,
  security: RequestSecurity,
  { request, logout }: { readonly request: HttpRequest; readonly logout: Logout },
): Promise<HttpResponse> {
  const verdict = (await services.csrf?.check(request)) ?? { allowed: true, reason: '' };
  if (!verdict.allowed)
    throw new ForbiddenError(`The logout did not come from this site: ${verdict.reason}.`);
  const { firewall, token } = security;
  const response = HttpResponse.redirect(logout.target(request));
  await endSession(services, security, { request, logout });
  await firewall.rememberMe?.forget(request, security);
  for (const name of logout.deleteCookies) response.clearCookie(name);
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

async function endSession(
  services: SecurityServices,
  security: RequestSecurity,
  { request, logout }: { readonly request: HttpRequest; readonly logout: Logout },
): Promise<void> {
  if (security.firewall.isStateless || services.sessions === undefined) return;
  const session = await services.sessions.open(request);
  if (logout.invalidateSession) session.invalidate();
  else {
    session.delete(security.firewall.sessionKey);
    session.delete(pendingKey(security.firewall));
    session.regenerate();
  }
}
