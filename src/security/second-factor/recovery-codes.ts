import { randomBytes } from 'node:crypto';
import { hashToken } from '../secrets/random-token.js';
import { toBase32 } from './totp.js';

/** Codes for the day that the authenticator app is lost. */
export interface RecoveryCodes {
  /** Shown to the user once: 80 random bits each, `ABCD-EFGH-IJKL-MNOP`. */
  readonly codes: readonly string[];
  /** What is stored in their place. Each is removed when its code was used. */
  readonly hashes: readonly string[];
}

/** Creates recovery codes, ten by default. They replace all earlier codes of the user. */
export function createRecoveryCodes(count = 10): RecoveryCodes {
  const codes = Array.from({ length: count }, () => toBase32(randomBytes(10)).replace(/.{4}(?=.)/g, '$&-'));
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** The hash of a recovery code as someone typed it: case, spaces and hyphens do not matter. */
export function hashRecoveryCode(code: string): string {
  return hashToken(`recovery ${code.toUpperCase().replace(/[\s-]/g, '')}`);
}
