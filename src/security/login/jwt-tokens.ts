import type { CryptoKey, JWK, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions, KeyObject } from 'jose';
import { errors, jwtVerify } from 'jose';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { badOption } from '../errors/error-codes.js';
import type { TokenHandler, TokenOwner } from './token-handler.js';

export interface JwtTokensOptions {
  /** The only accepted algorithm, whatever the header of a token claims: `RS256`, `ES256`, `EdDSA`, `HS256` … */
  readonly algorithm: string;
  /** The key for verification, or a function that finds it by the `kid` of a token (`createRemoteJWKSet` of jose). */
  readonly key: CryptoKey | KeyObject | JWK | Uint8Array | JWTVerifyGetKey;
  /** Required issuer (`iss`). */
  readonly issuer?: string;
  /** Required audience (`aud`). If omitted, tokens for other services of the issuer are accepted as well. */
  readonly audience?: string;
  /** Claim with the identifier of the user. Default `sub`. */
  readonly claim?: string;
  /** Accepted clock difference in seconds. Default 5. */
  readonly clockTolerance?: number;
  /** Creates the owner from the claims, if no provider knows the user. */
  readonly owner?: (claims: JWTPayload) => TokenOwner | undefined;
}

/** Accepts JSON Web Tokens (RFC 7519) that are signed with the given key and have an expiry (`exp`) in the future. */
export function jwtTokens(options: JwtTokensOptions): TokenHandler {
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
      const claims = await verify(token, options.key, verification);
      if (options.owner !== undefined) return options.owner(claims);
      const identifier = claims[options.claim ?? 'sub'];
      return typeof identifier === 'string' && identifier !== '' ? { identifier } : undefined;
    },
  };
}

async function verify(
  token: string,
  key: JwtTokensOptions['key'],
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    const { payload } =
      typeof key === 'function' ? await jwtVerify(token, key, options) : await jwtVerify(token, key, options);
    return payload;
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError)) throw cause;
    const reason = cause instanceof errors.JWTExpired ? 'expired' : 'token';
    throw new AuthenticationError(reason, cause.message, { cause });
  }
}
