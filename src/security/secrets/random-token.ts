import { createHash, randomBytes } from 'node:crypto';

/** `bytes` random bytes as base64url; 32 cannot be guessed. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** What a store keeps of a secret: whoever reads the store cannot use it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
