import type { SecurityToken } from './authenticator.js';
import type { Signer } from '../secrets/signed-cookies.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';

/**
 * Returns a short text that changes with the password of the user without revealing it. Sessions and cookies are bound to
 * it.
 */
export function userFingerprint(signer: Signer, user: SecurityUser): string {
  return signer.sign('user', JSON.stringify([user.identifier, user.passwordHash ?? null]));
}

/** Returns whether a fingerprint matches the current user, with any of the signer's secrets. */
export function isFingerprintOf(signer: Signer, user: SecurityUser, fingerprint: string): boolean {
  return signer.verify('user', JSON.stringify([user.identifier, user.passwordHash ?? null]), fingerprint);
}

/** A token as it is stored in a session. The user, with its roles, is loaded for each request. */
export interface StoredToken {
  readonly identifier: string;
  readonly authenticator: string;
  readonly strength: 'full' | 'remembered';
  readonly fingerprint: string;
  readonly impersonator?: StoredToken;
}

type RestoredToken =
  | { readonly token: SecurityToken }
  | { readonly token: undefined; readonly identifier: string; readonly reason: string };

export function storeToken(signer: Signer, token: SecurityToken): StoredToken {
  return {
    identifier: token.user.identifier,
    authenticator: token.authenticator,
    strength: token.strength,
    fingerprint: userFingerprint(signer, token.user),
    ...(token.impersonator === undefined ? {} : { impersonator: storeToken(signer, token.impersonator) }),
  };
}

/** Restores a token with the current data of the user, or returns the reason why the user is no longer admitted. */
export async function restoreToken(
  stored: StoredToken,
  signer: Signer,
  firewall: { readonly name: string; readonly provider: UserProvider },
): Promise<RestoredToken> {
  const { identifier } = stored;
  const user = await firewall.provider.findUser(identifier);
  const reason = findRefusal(signer, stored, user);
  if (user === undefined || reason !== undefined) {
    return { token: undefined, identifier, reason: reason ?? 'the user is gone' };
  }
  const outer =
    stored.impersonator === undefined ? undefined : await restoreToken(stored.impersonator, signer, firewall);
  if (outer !== undefined && outer.token === undefined) return outer;
  const { authenticator, strength } = stored;
  return { token: { user, firewall: firewall.name, authenticator, strength, impersonator: outer?.token } };
}

function findRefusal(
  signer: Signer,
  stored: StoredToken,
  user: SecurityUser | undefined,
): string | undefined {
  if (user === undefined) return 'the user is gone';
  if (user.isEnabled === false) return 'the user is disabled';
  return isFingerprintOf(signer, user, stored.fingerprint) ? undefined : 'the password has changed';
}

/** Parses a session value, which may be anything; returns undefined if it is not a stored token. */
export function parseStoredToken(value: unknown): StoredToken | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>; // checked to be an object; each field is checked below
  const { identifier, authenticator, strength, fingerprint, impersonator } = fields;
  if (typeof identifier !== 'string' || typeof authenticator !== 'string') return undefined;
  if (typeof fingerprint !== 'string') return undefined;
  if (strength !== 'full' && strength !== 'remembered') return undefined;
  const outer = parseStoredToken(impersonator);
  if (impersonator !== undefined && outer === undefined) return undefined;
  return {
    identifier,
    authenticator,
    strength,
    fingerprint,
    ...(outer === undefined ? {} : { impersonator: outer }),
  };
}
