import { createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose';
import { securityErrors } from '../errors/error-codes.js';

/** A key of `node:crypto`, a JSON Web Key (RFC 7517; its `kid` is kept), or the bytes of a shared secret for `HS…`. */
export type TokenKey = KeyObject | JWK | Uint8Array;

/** A key made ready. */
export interface SigningKey {
  readonly kid: string;
  /** Signs; undefined for a key that only verifies any more. */
  readonly signing: KeyObject | undefined;
  readonly verifying: KeyObject;
  /** The public half; undefined for a shared secret, which is never published. */
  readonly published: JWK | undefined;
}

/** Bytes of a shared secret: as many as the shortest hash has (RFC 7518 section 3.2). */
const minKeyBytes = 32;

/** Makes a key ready. The `kid` is its own, else its thumbprint (RFC 7638). Throws the coded error of a key that does not fit. */
export async function readSigningKey(key: TokenKey, algorithm: string): Promise<SigningKey> {
  const given = toKeyObject(key);
  const isShared = given.type === 'secret';
  if (isShared !== algorithm.startsWith('HS')) refuse(`a ${given.type} key, which does not fit ${algorithm}`);
  if (isShared && (given.symmetricKeySize ?? 0) < minKeyBytes)
    refuse(`a secret of ${given.symmetricKeySize} bytes; use at least ${minKeyBytes}`);
  const verifying = given.type === 'private' ? createPublicKey(given) : given;
  const jwk = verifying.export({ format: 'jwk' }) as JWK; // the two libraries name the same members
  const kid = kidOf(key) ?? (await calculateJwkThumbprint(jwk));
  return {
    kid,
    signing: given.type === 'public' ? undefined : given,
    verifying,
    published: isShared ? undefined : { ...jwk, kid, alg: algorithm, use: 'sig' },
  };
}

function toKeyObject(key: TokenKey): KeyObject {
  if (key instanceof KeyObject) return key;
  if (key instanceof Uint8Array) return createSecretKey(key);
  try {
    if (key.kty === 'oct') return createSecretKey(String(key.k), 'base64url');
    const input = { key: { ...key }, format: 'jwk' } as const;
    return key['d'] === undefined ? createPublicKey(input) : createPrivateKey(input);
  } catch {
    return refuse('a JSON Web Key that cannot be read'); // without the cause, which may quote the key
  }
}

function kidOf(key: TokenKey): string | undefined {
  return !(key instanceof KeyObject) && !(key instanceof Uint8Array) && typeof key.kid === 'string'
    ? key.kid
    : undefined;
}

function refuse(problem: string): never {
  throw securityErrors.create('SECURITY_BAD_OPTION', { option: 'key', what: 'createTokenIssuer', problem });
}
