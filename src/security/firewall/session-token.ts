import type { HttpRequest } from '#http';
import type { Firewall } from '../state/firewall.js';
import type { PendingLogin, RequestSecurity } from '../state/request-security.js';
import { deauthenticatedEvent } from '../state/security-events.js';
import type { SecurityServices } from '../state/security-services.js';
import type { SessionView } from '../sessions/session.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Signer } from '../secrets/signer.js';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { StoredToken } from '../authentication/stored-token.js';
import { parseStoredToken, restoreToken, storeToken } from '../authentication/stored-token.js';

/**
 * Sets the token stored in the session, with the current data of the user. Logs out a user who is gone, disabled or has a
 * new password.
 */
export async function restoreFromSession(
  services: SecurityServices,
  security: RequestSecurity,
  request: HttpRequest,
): Promise<void> {
  const { firewall } = security;
  const { sessions, signer } = services;
  security.token = undefined;
  if (firewall.isStateless || sessions === undefined) return;
  const view = await sessions.view(request);
  const stored = parseStoredToken(view?.get(firewall.sessionKey));
  if (stored === undefined) {
    if (firewall.secondFactor !== undefined) await restorePending(signer, security, view);
    return;
  }
  const restored = await restoreToken(stored, {
    signer,
    provider: firewall.provider,
    firewall: firewall.name,
  });
  if (restored.token === undefined) {
    await deauthenticate(services, security, { request, sessions, ...restored });
    return;
  }
  security.token = restored.token;
  if (restored.rolesChanged)
    await updateStoredRoles(services, restored.token, { request, firewall, sessions });
}

/**
 * Restores a login whose second factor is pending. It is valid for ten minutes, as long as the password does not change.
 */
async function restorePending(
  signer: Signer,
  security: RequestSecurity,
  view: SessionView | undefined,
): Promise<void> {
  const { firewall } = security;
  const kept = view?.get<Readonly<Record<string, unknown>>>(pendingKey(firewall));
  const stored = parseStoredToken(kept?.['token']);
  if (stored === undefined || !(Number(kept?.['until']) > Date.now())) return;
  const { provider, name } = firewall;
  const { token } = await restoreToken(stored, { signer, provider, firewall: name });
  if (token !== undefined) security.pending = { token, wantsRememberMe: kept?.['wantsRememberMe'] === true };
}

/**
 * Stores a login whose second factor is pending in the session, replaces an earlier login, and changes the session id.
 */
export async function storePendingLogin(
  { sessions, signer }: SecurityServices,
  { request, firewall, login }: { request: HttpRequest; firewall: Firewall; login: PendingLogin },
): Promise<void> {
  if (sessions === undefined) return;
  const session = await sessions.open(request);
  const { token, wantsRememberMe } = login;
  const until = Date.now() + pendingMs;
  session.delete(firewall.sessionKey);
  session.set(pendingKey(firewall), { token: storeToken(signer, token), wantsRememberMe, until });
  session.regenerate();
}

const pendingMs = 600_000;

/** Key of the session value for a login whose second factor is pending. */
export function pendingKey({ sessionKey }: Firewall): string {
  return `${sessionKey}.pending`;
}

/** Stores the changed roles and changes the session id. Of several concurrent requests, only the first one does. */
async function updateStoredRoles(
  { signer }: SecurityServices,
  token: SecurityToken,
  { request, firewall, sessions }: { request: HttpRequest; firewall: Firewall; sessions: Sessions },
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
  facts: {
    readonly request: HttpRequest;
    readonly sessions: Sessions;
    readonly identifier: string;
    readonly reason: string;
  },
): Promise<void> {
  const { request, sessions, identifier, reason } = facts;
  const { firewall } = security;
  const session = await sessions.open(request);
  session.delete(firewall.sessionKey);
  session.regenerate();
  await firewall.rememberMe?.forget(request, security);
  services.audit.notice('A session was ended.', { firewall: firewall.name, user: identifier, reason });
  await services.events.dispatch(deauthenticatedEvent, {
    request,
    firewall: firewall.name,
    identifier,
    reason,
  });
}

/** Stores the token in the session and changes the session id, which prevents session fixation. */
export async function storeTokenInSession(
  sessions: Sessions,
  signer: Signer,
  { request, firewall, token }: { request: HttpRequest; firewall: Firewall; token: SecurityToken },
): Promise<void> {
  const session = await sessions.open(request);
  session.set(firewall.sessionKey, storeToken(signer, token));
  if (firewall.secondFactor !== undefined) session.delete(pendingKey(firewall));
  session.regenerate();
}
