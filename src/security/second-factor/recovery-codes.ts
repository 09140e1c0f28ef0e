import { randomBytes } from 'node:crypto';
import { hashToken } from '../secrets/random-token.js';
import { toBase32 } from './totp.js';

/** Codes that replace a one-time code if the authenticator app is lost. */
export interface RecoveryCodes {
  /** Codes of 80 random bits, `ABCD-EFGH-IJKL-MNOP`. Show them to the user once. */
  readonly codes: readonly string[];
  /** Hashes of the codes, to be stored instead of them. A hash must be removed when its code is used. */
  readonly hashes: readonly string[];
}

/** Creates recovery codes, ten by default. Store them instead of all earlier codes of the user. */
export function createRecoveryCodes(count = 10): RecoveryCodes {
  const codes = Array.from({ length: count }, () => toBase32(randomBytes(10)).replace(/.{4}(?=.)/g, '$&-'));
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** Returns the hash of an entered recovery code; ignores case, spaces and hyphens. */
export function hashRecoveryCode(code: string): string {
  return hashToken(`recovery ${code.toUpperCase().replace(/[\s-]/g, '')}`);
}
