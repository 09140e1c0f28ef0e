import type { HttpRequest } from '#http';
import type { Firewall } from '../state/firewall.js';
import type { RequestSecurity } from '../state/request-security.js';
import { deauthenticatedEvent } from '../state/security-events.js';
import type { SecurityServices } from '../state/security-services.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Signer } from '../secrets/signer.js';
import type { SecurityToken } from '../authentication/security-token.js';
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
  if (stored === undefined) return;
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

/** Keeps the roles as they are now, under a new id; of many requests at once the first does. */
async function noteRoles(
  { signer }: SecurityServices,
  token: SecurityToken,
  { request, firewall, sessions }: { request: HttpRequest; firewall: Firewall; sessions: Sessions },
): Promise<void> {
  const session = await sessions.open(request);
  const now = storeToken(signer, token);
  const noted = parseStoredToken(session.get(firewall.sessionKey));
  // Nobody is noted when the session was ended meanwhile: nothing may begin it again.
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
  session.regenerate();
}
