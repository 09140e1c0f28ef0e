import type { Signer } from '../secrets/signer.js';
import type { SecurityUser } from '../users/user-provider.js';

/** A short text that changes with the user's password, and reveals nothing of it: what sessions and cookies are bound to. */
export function userFingerprint(signer: Signer, user: SecurityUser): string {
  return signer.sign('user', JSON.stringify([user.identifier, user.passwordHash ?? null]));
}

/** Whether a fingerprint was made of this user as it is now (with any of the signer's secrets). */
export function isFingerprintOf(signer: Signer, user: SecurityUser, fingerprint: string): boolean {
  return signer.verify('user', JSON.stringify([user.identifier, user.passwordHash ?? null]), fingerprint);
}
