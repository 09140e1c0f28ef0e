import type { Signer } from '../secrets/signer.js';
import type { SecurityUser } from '../users/user-provider.js';

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
