import { createHmac, timingSafeEqual } from 'node:crypto';
import { securityErrors } from '../errors/error-codes.js';

/** Signs texts with HMAC-SHA256. A signature for one purpose is not valid for another. */
export interface Signer {
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

const minSecretLength = 32;

/**
 * Creates a signer for one or several secrets: the first one signs, all verify, so that a secret can be replaced without
 * logging everyone out. Throws `SECURITY_WEAK_SECRET` for a secret of fewer than 32 characters.
 */
export function createSigner(secrets: string | readonly string[], what: string): Signer {
  const keys = typeof secrets === 'string' ? [secrets] : secrets;
  const [first] = keys;
  if (first === undefined) throw securityErrors.create('SECURITY_SECRET_MISSING', { what });
  for (const { length } of keys) {
    if (length < minSecretLength) throw securityErrors.create('SECURITY_WEAK_SECRET', { what, length });
  }
  return {
    sign: (purpose, text) => signature(first, purpose, text),
    verify(purpose, text, given) {
      let valid = false;
      for (const key of keys) valid = isSame(signature(key, purpose, text), given) || valid;
      return valid;
    },
  };
}

function signature(key: string, purpose: string, text: string): string {
  // The length prefix distinguishes "ab" + "c" from "a" + "bc".
  return createHmac('sha256', key).update(`${purpose.length}:${purpose}:${text}`).digest('base64url');
}

/** Compares signatures in a time that does not reveal where they differ; their length is not secret. */
function isSame(signature: string, given: string): boolean {
  const [expected, bytes] = [Buffer.from(signature), Buffer.from(given)];
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
