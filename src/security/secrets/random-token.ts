import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Returns random bytes as base64url; 32 bytes cannot be guessed. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** Returns the hash of a secret for storing it: whoever reads the store cannot use the hash as the secret. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Compares two texts in constant time: the duration does not reveal where they differ or how long they are. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
