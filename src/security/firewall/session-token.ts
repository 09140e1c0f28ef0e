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

/** Sets the token that the session remembers, with the user as it is now. A user who changed too much is logged out. */
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
  if (restored.rolesChanged) await noteRoles(services, restored.token, { request, firewall, sessions });
}

/** Half a login counts for ten minutes, for the same password, and in no case for more than the way to the second half. */
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

/** Makes the session remember half a login, under a new id, in the place of whoever was logged in. */
export async function keepPending(
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

/** Key of the session value with half a login. */
export function pendingKey({ sessionKey }: Firewall): string {
  return `${sessionKey}.pending`;
}

/** Keeps the roles as they are now, under a new id; of many requests at once the first does. */
async function noteRoles(
  { signer }: SecurityServices,
  token: SecurityToken,
  { request, firewall, sessions }: { request: HttpRequest; firewall: Firewall; sessions: Sessions },
): Promise<void> {
  const session = await sessions.open(request);
  const now = storeToken(signer, token);
  const noted = parseStoredToken(session.get(firewall.sessionKey));
  // No user is noted if the session was ended meanwhile: nothing may begin it again.
  if (noted === undefined || rolesOf(noted) === rolesOf(now)) return;
  session.set(firewall.sessionKey, now);
  session.move(); // whoever knows the old id was let in by it until now
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

/** Makes the session remember the token, under a new id: whoever knew the old one does not get in. */
export async function keepToken(
  sessions: Sessions,
  signer: Signer,
  { request, firewall, token }: { request: HttpRequest; firewall: Firewall; token: SecurityToken },
): Promise<void> {
  const session = await sessions.open(request);
  session.set(firewall.sessionKey, storeToken(signer, token));
  if (firewall.secondFactor !== undefined) session.delete(pendingKey(firewall));
  session.regenerate();
}
