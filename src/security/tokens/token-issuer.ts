import {
  randomUUID,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  KeyObject,
  type webcrypto,
} from 'node:crypto';
import {
  calculateJwkThumbprint,
  errors,
  type JWTHeaderParameters,
  SignJWT,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { type OptionNames, refuseUnknownOptions } from '#coded-error';
import { AuthenticationError } from '../authentication/authenticator.js';
import type { TokenHandler, TokenOwner } from '../login/access-token.js';
import { badOption } from '../secrets/error-codes.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';
import { type RefreshOptions, RefreshTokens, refreshOptionNames } from './refresh-tokens.js';

interface TokenIssuerOptions {
  /** Algorithm for signing access tokens: `ES256`, `EdDSA`, `RS256`, `PS256`, `HS256` … */
  readonly algorithm: string;
  /** One or several keys: the first one signs, all verify, each with its own `kid`. A retired key may be a public key. */
  readonly key: TokenKey | readonly TokenKey[];
  /** The `iss` claim. */
  readonly issuer: string;
  /** The `aud` claim: the service that accepts the tokens. */
  readonly audience: string;
  /** Seconds until an access token expires. It cannot be revoked before that. Default 900. */
  readonly accessSeconds?: number;
  /** Options for refresh tokens. Default: none are issued. */
  readonly refresh?: RefreshOptions;
  /** Returns additional claims, e.g. the roles. They cannot replace the claims that the issuer sets itself. */
  readonly claims?: (user: SecurityUser) => Readonly<Record<string, unknown>>;
}

const tokenIssuerOptionNames: OptionNames<TokenIssuerOptions> = {
  algorithm: true,
  key: true,
  issuer: true,
  audience: true,
  accessSeconds: true,
  refresh: refreshOptionNames,
  claims: true,
};

/** The tokens for a client (with the members of RFC 6749 section 5.1). */
export interface IssuedTokens {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds until the access token expires. */
  readonly expires_in: number;
  readonly refresh_token?: string;
}

/** Issues JSON Web Tokens (RFC 7519) to users, and refresh tokens that work once. */
export interface TokenIssuer {
  /** Issues tokens for a user who has just logged in. */
  issue(user: SecurityUser): Promise<IssuedTokens>;
  /**
   * Issues new tokens for a refresh token, which can then no longer be used. Loads the user again. Throws an
   * `AuthenticationError`: `theft` if the token was used before (then every token of its login is invalid), otherwise
   * `expired`.
   */
  refresh(refreshToken: string, provider: Pick<UserProvider, 'findUser'>): Promise<IssuedTokens>;
  /** Ends the login of a refresh token. Access tokens stay valid until they expire. */
  revoke(refreshToken: string): Promise<void>;
  /** Ends all logins of a user. */
  revokeUser(identifier: string): Promise<void>;
  /** Handler that verifies the access tokens: `accessToken({ handler: issuer.handler })`. */
  readonly handler: TokenHandler;
  /** Returns the public keys for other services as a JWK Set (RFC 7517 section 5). Empty for shared secrets. */
  jwks(): Promise<{ readonly keys: readonly Jwk[] }>;
}

/** Creates a token issuer. Throws a coded error for an unknown algorithm; for an unsuitable key, at the first use. */
export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  refuseUnknownOptions('createTokenIssuer()', options, tokenIssuerOptionNames);
  const { algorithm, issuer, audience, accessSeconds = 900 } = options;
  let reading: Promise<readonly SigningKey[]> | undefined;
  const keys = (): Promise<readonly SigningKey[]> => (reading ??= readKeys(options));
  const refreshTokens = options.refresh && new RefreshTokens(options.refresh);
  const needRefresh = (): RefreshTokens => {
    if (refreshTokens === undefined)
      throw badOption('createTokenIssuer', 'refresh', 'missing, so there are no refresh tokens');
    return refreshTokens;
  };

  async function tokensFor(user: SecurityUser, refreshToken: string | undefined): Promise<IssuedTokens> {
    const [first] = await keys();
    if (first?.signing === undefined) refuseKey(noSigningKey);
    const signed = await new SignJWT({ ...options.claims?.(user) })
      .setProtectedHeader({ alg: algorithm, kid: first.kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(user.identifier)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${accessSeconds}s`)
      .sign(first.signing);
    const access = { access_token: signed, token_type: 'Bearer', expires_in: accessSeconds } as const;
    return refreshToken === undefined ? access : { ...access, refresh_token: refreshToken };
  }

  const findKey = async ({ kid }: JWTHeaderParameters): Promise<SigningKey['verifying']> => {
    const found = (await keys()).find((key) => key.kid === kid);
    if (found === undefined) throw new errors.JWKSNoMatchingKey();
    return found.verifying;
  };
  return {
    issue: async (user) => tokensFor(user, await refreshTokens?.begin(user)),
    async refresh(refreshToken, provider) {
      const next = await needRefresh().rotate(refreshToken, (identifier) => provider.findUser(identifier));
      return tokensFor(next.user, next.token);
    },
    revoke: async (refreshToken) => needRefresh().revoke(refreshToken),
    revokeUser: async (identifier) => needRefresh().revokeUser(identifier),
    handler: jwtTokens({ algorithm, key: findKey, issuer, audience }),
    jwks: async () => ({ keys: (await keys()).flatMap(({ published }) => published ?? []) }),
  };
}

const noSigningKey = 'without a private (or shared) key in the first place, so nothing can be signed';

async function readKeys({ key, algorithm }: TokenIssuerOptions): Promise<readonly SigningKey[]> {
  const given: readonly TokenKey[] = Array.isArray(key) ? key : [key as TokenKey]; // anything but an array is a single key
  const keys = await Promise.all(given.map((one) => readSigningKey(one, algorithm)));
  if (keys[0]?.signing === undefined) refuseKey(noSigningKey);
  return keys;
}

/** A key of `node:crypto`, a JSON Web Key (RFC 7517; its `kid` is kept), or the bytes of a shared secret for `HS…`. */
type TokenKey = KeyObject | Jwk | Uint8Array;

/** A parsed key. */
interface SigningKey {
  readonly kid: string;
  /** Key for signing; undefined for a retired key that only verifies. */
  readonly signing: KeyObject | undefined;
  readonly verifying: KeyObject;
  /** The public key; undefined for a shared secret, which is never published. */
  readonly published: Jwk | undefined;
}

/** Minimum size of a shared secret in bytes: the size of the smallest hash (RFC 7518 section 3.2). */
const minKeyBytes = 32;

/**
 * Parses a key. Its `kid` is kept; by default it is the thumbprint (RFC 7638). Throws a coded error for an unsuitable
 * key.
 */
async function readSigningKey(key: TokenKey, algorithm: string): Promise<SigningKey> {
  const given = toKeyObject(key);
  const isShared = given.type === 'secret';
  if (isShared !== algorithm.startsWith('HS'))
    refuseKey(`a ${given.type} key, which does not fit ${algorithm}`);
  if (isShared && (given.symmetricKeySize ?? 0) < minKeyBytes)
    refuseKey(`a secret of ${given.symmetricKeySize} bytes; use at least ${minKeyBytes}`);
  const verifying = given.type === 'private' ? createPublicKey(given) : given;
  const jwk = verifying.export({ format: 'jwk' }) as Jwk; // Node and jose declare the same members
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
    return refuseKey('a JSON Web Key that cannot be read'); // without the cause, which may quote the key
  }
}

function kidOf(key: TokenKey): string | undefined {
  return !(key instanceof KeyObject) && !(key instanceof Uint8Array) && typeof key.kid === 'string'
    ? key.kid
    : undefined;
}

function refuseKey(problem: string): never {
  throw badOption('createTokenIssuer', 'key', problem);
}

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

const jwtTokensOptionNames: OptionNames<JwtTokensOptions> = {
  algorithm: true,
  key: true,
  issuer: true,
  audience: true,
  claim: true,
  clockTolerance: true,
  owner: true,
};

/** Accepts JSON Web Tokens (RFC 7519) that are signed with the given key and have an expiry (`exp`) in the future. */
export function jwtTokens(options: JwtTokensOptions): TokenHandler {
  refuseUnknownOptions('jwtTokens()', options, jwtTokensOptionNames);
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
