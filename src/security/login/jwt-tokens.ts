import type { KeyObject, webcrypto } from 'node:crypto';
import { jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { refuseUnknownOptions } from '#coded-error';
import { AuthenticationError } from '../authentication/authenticator.js';
import { badOption } from '../secrets/error-codes.js';
import type { TokenHandler, TokenOwner } from './access-token.js';

/** A JSON Web Key (RFC 7517). */
type Jwk = webcrypto.JsonWebKey & { readonly kid?: string };

/** The claims of a verified token (RFC 7519 section 4.1). */
interface JwtClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | string[];
  readonly jti?: string;
  readonly nbf?: number;
  readonly exp?: number;
  readonly iat?: number;
  readonly [name: string]: unknown;
}

/** Finds the key of a token by its header, as `createRemoteJWKSet` and `createLocalJWKSet` of jose make it. */
type FindJwtKey = (
  header: { readonly alg: string; readonly kid?: string },
  token: { readonly payload: string; readonly signature: string },
) => Promise<webcrypto.CryptoKey | KeyObject | Jwk | Uint8Array>;

interface JwtTokensOptions {
  /** The only accepted algorithm, whatever the header of a token claims: `RS256`, `ES256`, `EdDSA`, `HS256` … */
  readonly algorithm: string;
  /** The key for verification, or a function that finds it by the `kid` of a token (`createRemoteJWKSet` of jose). */
  readonly key: webcrypto.CryptoKey | KeyObject | Jwk | Uint8Array | FindJwtKey;
  /** Required issuer (`iss`). */
  readonly issuer?: string;
  /** Required audience (`aud`). If omitted, tokens for other services of the issuer are accepted as well. */
  readonly audience?: string;
  /** Claim with the identifier of the user. Default `sub`. */
  readonly claim?: string;
  /** Accepted clock difference in seconds. Default 5. */
  readonly clockTolerance?: number;
  /** Creates the owner from the claims, if no provider knows the user. */
  readonly owner?: (claims: JwtClaims) => TokenOwner | undefined;
}

/** Accepts JSON Web Tokens (RFC 7519) that are signed with the given key and have an expiry (`exp`) in the future. */
export function jwtTokens(options: JwtTokensOptions): TokenHandler {
  refuseUnknownOptions('jwtTokens()', options, 'algorithm key issuer audience claim clockTolerance owner');
  if (!/^(?:HS|RS|ES|PS)(?:256|384|512)$|^EdDSA$|^Ed25519$/.test(options.algorithm)) {
    throw badOption('jwtTokens', 'algorithm', `"${options.algorithm}", which signs nothing`);
  }
  const verification: JWTVerifyOptions = {
    algorithms: [options.algorithm],
    requiredClaims: ['exp'],
    clockTolerance: options.clockTolerance ?? 5,
    ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    ...(options.audience === undefined ? {} : { audience: options.audience }),
  };
  return {
    name: 'JWT',
    async findOwner(token) {
      if (!isCanonical(token))
        throw new AuthenticationError('token', 'The token is not three parts of unpadded base64url.');
      const claims = await verify(token, options.key, verification);
      if (options.owner !== undefined) return options.owner(claims);
      const identifier = claims[options.claim ?? 'sub'];
      return typeof identifier === 'string' && identifier !== '' ? { identifier } : undefined;
    },
  };
}

/** Returns whether there is no other spelling of the same token, with which it would pass a list of revoked ones. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}

/** Errors of jose are recognised by their code: the application's `createRemoteJWKSet` throws those of its own copy. */
async function verify(
  token: string,
  key: JwtTokensOptions['key'],
  options: JWTVerifyOptions,
): Promise<JwtClaims> {
  try {
    const { payload } =
      typeof key === 'function'
        ? await jwtVerify(token, key as JWTVerifyGetKey, options) // it gets more than it declares
        : await jwtVerify(token, key, options);
    return payload;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (!(cause instanceof Error) || !/^ERR_J(?:OSE|W[A-Z]+)_/.test(code)) throw cause;
    throw new AuthenticationError(code === 'ERR_JWT_EXPIRED' ? 'expired' : 'token', cause.message, { cause });
  }
}
