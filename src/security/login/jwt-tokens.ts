import type { CryptoKey, JWK, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions, KeyObject } from 'jose';
import { errors, jwtVerify } from 'jose';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { badOption } from '../errors/error-codes.js';
import type { TokenHandler, TokenOwner } from './token-handler.js';

export interface JwtTokensOptions {
  /** The one algorithm that is accepted, whatever a token claims: `RS256`, `ES256`, `EdDSA`, `HS256` … */
  readonly algorithm: string;
  /** The key that verifies; or what finds it by the token's `kid` (`createRemoteJWKSet` of jose). */
  readonly key: CryptoKey | KeyObject | JWK | Uint8Array | JWTVerifyGetKey;
  /** Who must have issued it (`iss`). */
  readonly issuer?: string;
  /** For whom it must have been issued (`aud`): without it, tokens for other services of the issuer pass as well. */
  readonly audience?: string;
  /** The claim with the user's identifier. Default `sub`. */
  readonly claim?: string;
  /** Seconds that clocks may differ. Default 5. */
  readonly clockTolerance?: number;
  /** Makes the owner of the claims, where no provider knows the user. */
  readonly owner?: (claims: JWTPayload) => TokenOwner | undefined;
}

/** JSON Web Tokens (RFC 7519) that are signed with the given key and have an expiry (`exp`) that is not past. */
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
