import type { SecurityToken } from '../authentication/authenticator.js';
import type { Signer } from '../secrets/signed-cookies.js';
import type { Sessions } from '../sessions/sessions.js';
import { deauthenticatedEvent, type RequestSecurity } from '../state/request-security.js';
import type { Firewall } from '../state/firewall.js';
import { isFingerprintOf, userFingerprint } from '../users/user-provider.js';

/**
 * Sets the session's token, with the user's current data. Logs out users who are deleted, disabled or have a new
 * password.
 */
export async function restoreFromSession(security: RequestSecurity): Promise<void> {
  const { firewall, request } = security;
  const { sessions, signer } = security.services;
  if (firewall.isStateless || sessions === undefined) return;
  const view = await sessions.of(request).view();
  const stored = parseStoredToken(view?.get(firewall.sessionKey));
  if (stored === undefined) return;
  const restored = await restoreToken(stored, signer, firewall);
  if (restored.token === undefined) await deauthenticate(security, sessions, restored);
  else security.token = restored.token;
}

async function deauthenticate(
  { request, firewall, services }: RequestSecurity,
  sessions: Sessions,
  { identifier, reason }: { readonly identifier: string; readonly reason: string },
): Promise<void> {
  const session = await sessions.of(request).open();
  session.delete(firewall.sessionKey);
  session.regenerate();
  await firewall.rememberMe?.forget(request);
  services.audit()?.notice('A session was ended.', { firewall: firewall.name, user: identifier, reason });
  const event = { request, firewall: firewall.name, identifier, reason };
  await services.events.dispatch(deauthenticatedEvent, event);
}

/** Stores the token in the session and changes the session id, which prevents session fixation. */
export async function storeTokenInSession(
  { request, firewall, services: { sessions, signer } }: RequestSecurity,
  token: SecurityToken,
): Promise<void> {
  if (firewall.isStateless || sessions === undefined) return;
  const opened = sessions.of(request);
  // A remembered login is not the visitor's action, and must not replace a session that has just begun.
  const session = await (token.strength === 'full' ? opened.openForLogin() : opened.openForRemembered());
  session.set(firewall.sessionKey, storeToken(signer, token));
  session.regenerate();
}

/** A token as stored in a session. The user, including roles, is loaded for each request. */
interface StoredToken extends Pick<SecurityToken, 'authenticator' | 'strength' | 'era'> {
  readonly identifier: string;
  readonly fingerprint: string;
  readonly impersonator?: StoredToken;
}

export function storeToken(
  signer: Signer,
  { user, authenticator, strength, era, impersonator }: SecurityToken,
): StoredToken {
  return {
    identifier: user.identifier,
    authenticator,
    strength,
    fingerprint: userFingerprint(signer, user),
    ...(era === undefined ? {} : { era }),
    ...(impersonator === undefined ? {} : { impersonator: storeToken(signer, impersonator) }),
  };
}

type RestoredToken =
  | { readonly token: SecurityToken }
  | { readonly token: undefined; readonly identifier: string; readonly reason: string };

/** Restores a token with the user's current data, or returns the reason why the user is no longer admitted. */
export async function restoreToken(
  stored: StoredToken,
  signer: Signer,
  firewall: Pick<Firewall, 'name' | 'provider' | 'eras'>,
): Promise<RestoredToken> {
  const { identifier, authenticator, strength, era } = stored;
  const refused = (reason: string): RestoredToken => ({ token: undefined, identifier, reason });
  const user = await firewall.provider.findUser(identifier);
  if (user === undefined) return refused('the user no longer exists');
  if (user.isEnabled === false) return refused('the user is disabled');
  if (!isFingerprintOf(signer, user, stored.fingerprint)) return refused('the password has changed');
  if (era !== undefined && (await firewall.eras?.isCurrentEra(identifier, era)) === false)
    return refused('a remembered login of the user was stolen');
  const outer = stored.impersonator && (await restoreToken(stored.impersonator, signer, firewall));
  if (outer !== undefined && outer.token === undefined) return outer;
  return {
    token: { user, firewall: firewall.name, authenticator, strength, era, impersonator: outer?.token },
  };
}

export function parseStoredToken(value: unknown): StoredToken | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const token = value as Readonly<Record<keyof StoredToken, unknown>>; // an object whose members are checked here
  const { identifier, authenticator, strength, fingerprint, era, impersonator } = token;
  const isToken =
    [identifier, authenticator, fingerprint].every((one) => typeof one === 'string') &&
    (strength === 'full' || strength === 'remembered') &&
    (era === undefined || typeof era === 'string') &&
    (impersonator === undefined || parseStoredToken(impersonator) !== undefined);
  return isToken ? (value as StoredToken) : undefined; // just checked
}
