import type { RequestSecurity, SecurityServices } from '../state/request-security.js';
import { deauthenticatedEvent } from '../state/security-events.js';
import type { Sessions } from '../sessions/sessions.js';
import type { SecurityToken } from '../authentication/authenticator.js';
import {
  parseStoredToken,
  restoreToken,
  type StoredToken,
  storeToken,
} from '../authentication/stored-token.js';

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
  const view = await sessions.view(request);
  const stored = parseStoredToken(view?.get(firewall.sessionKey));
  if (stored === undefined) return;
  const restored = await restoreToken(stored, signer, firewall);
  if (restored.token === undefined) {
    await deauthenticate(services, security, sessions, restored);
    return;
  }
  security.token = restored.token;
  if (restored.rolesChanged) await updateStoredRoles(services, security, sessions, restored.token);
}

/** Stores the changed roles and changes the session id. Of several concurrent requests, only the first one does. */
async function updateStoredRoles(
  { signer }: SecurityServices,
  { request, firewall }: RequestSecurity,
  sessions: Sessions,
  token: SecurityToken,
): Promise<void> {
  const session = await sessions.open(request);
  const now = storeToken(signer, token);
  const noted = parseStoredToken(session.get(firewall.sessionKey));
  // The session may have been ended in the meantime; it must not be started again.
  if (noted === undefined || rolesOf(noted) === rolesOf(now)) return;
  session.set(firewall.sessionKey, now);
  session.move(); // the permissions have changed, so the id must change; concurrent requests may still use the old one
}

function rolesOf({ roles, impersonator }: StoredToken): string {
  return JSON.stringify([roles, impersonator === undefined ? null : rolesOf(impersonator)]);
}

async function deauthenticate(
  services: SecurityServices,
  security: RequestSecurity,
  sessions: Sessions,
  { identifier, reason }: { readonly identifier: string; readonly reason: string },
): Promise<void> {
  const { request } = security;
  const { name: firewall, sessionKey, rememberMe } = security.firewall;
  const session = await sessions.open(request);
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
  const session = await sessions.open(request);
  session.set(firewall.sessionKey, storeToken(signer, token));
  session.regenerate();
}
