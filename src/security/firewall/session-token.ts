import type { RequestSecurity, SecurityServices } from '../state/request-security.js';
import { deauthenticatedEvent } from '../state/security-events.js';
import type { Sessions } from '../sessions/sessions.js';
import type { SecurityToken } from '../authentication/authenticator.js';
import { parseStoredToken, restoreToken, storeToken } from '../authentication/stored-token.js';

/**
 * Sets the token stored in the session, with the current data of the user. Logs out a user who is gone, disabled or has a
 * new password.
 */
export async function restoreFromSession(
  services: SecurityServices,
  security: RequestSecurity,
): Promise<void> {
  const { firewall, request } = security;
  const { sessions, signer } = services;
  security.token = undefined;
  if (firewall.isStateless || sessions === undefined) return;
  const view = await sessions.of(request).view();
  const stored = parseStoredToken(view?.get(firewall.sessionKey));
  if (stored === undefined) return;
  const restored = await restoreToken(stored, signer, firewall);
  if (restored.token === undefined) await deauthenticate(services, security, sessions, restored);
  else security.token = restored.token;
}

async function deauthenticate(
  services: SecurityServices,
  security: RequestSecurity,
  sessions: Sessions,
  { identifier, reason }: { readonly identifier: string; readonly reason: string },
): Promise<void> {
  const { request } = security;
  const { name: firewall, sessionKey, rememberMe } = security.firewall;
  const session = await sessions.of(request).open();
  session.delete(sessionKey);
  session.regenerate();
  await rememberMe?.forget(security);
  services.audit.notice('A session was ended.', { firewall, user: identifier, reason });
  await services.events.dispatch(deauthenticatedEvent, { request, firewall, identifier, reason });
}

/** Stores the token in the session and changes the session id, which prevents session fixation. */
export async function storeTokenInSession(
  { sessions, signer }: Pick<SecurityServices, 'sessions' | 'signer'>,
  { request, firewall }: RequestSecurity,
  token: SecurityToken,
): Promise<void> {
  if (firewall.isStateless || sessions === undefined) return;
  const session = await sessions.of(request).open();
  session.set(firewall.sessionKey, storeToken(signer, token));
  session.regenerate();
}
