import type { HttpRequest } from '#http';
import { HttpResponse } from '#http';
import { ForbiddenError } from '#errors';
import type { RequestSecurity } from '../request-security.js';
import { logoutEvent } from '../security-events.js';
import type { SecurityServices } from '../security-services.js';

export type ClearSiteData = 'cache' | 'cookies' | 'storage' | 'executionContexts' | '*';

export interface LogoutOptions {
  /** Where the logout is posted to. Default `/logout`. No route is needed. */
  readonly path?: string | ((request: HttpRequest) => boolean);
  /** Default `POST`: by GET, any page could log its visitors out with an image. */
  readonly methods?: readonly string[];
  /** Where it leads. Default `/`. */
  readonly target?: string | ((request: HttpRequest) => string);
  /** What the browser is told to forget. Default `cookies` and `storage`; an empty list sends no header. */
  readonly clearSiteData?: readonly ClearSiteData[];
  /** Ends the whole session, or only this firewall's part of it. Default true. */
  readonly invalidateSession?: boolean;
  /** Other cookies to remove. */
  readonly deleteCookies?: readonly string[];
}

/** How a firewall lets its users go. */
export interface Logout {
  matches(request: HttpRequest): boolean;
  readonly target: (request: HttpRequest) => string;
  readonly clearSiteData: readonly ClearSiteData[];
  readonly invalidateSession: boolean;
  readonly deleteCookies: readonly string[];
}

export function compileLogout(options: LogoutOptions): Logout {
  const { path = '/logout', target = '/' } = options;
  const methods = new Set(options.methods ?? ['POST']);
  return {
    matches: (request) =>
      methods.has(request.method) && (typeof path === 'string' ? request.path === path : path(request)),
    target: (request) => (typeof target === 'string' ? target : target(request)),
    clearSiteData: options.clearSiteData ?? ['cookies', 'storage'],
    invalidateSession: options.invalidateSession ?? true,
    deleteCookies: options.deleteCookies ?? [],
  };
}

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
    session.regenerate();
  }
}
