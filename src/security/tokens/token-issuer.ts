import { randomUUID, createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import { type JWK, type JWTHeaderParameters, errors, SignJWT, calculateJwkThumbprint } from 'jose';
import { badOption } from '../errors/error-codes.js';
import { jwtTokens } from '../login/jwt-tokens.js';
import type { TokenHandler } from '../login/token-handler.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';
import { type RefreshOptions, RefreshTokens } from './refresh-tokens.js';

export interface TokenIssuerOptions {
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
  jwks(): Promise<{ readonly keys: readonly JWK[] }>;
}

/** Creates a token issuer. Throws a coded error for an unknown algorithm; for an unsuitable key, at the first use. */
export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
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
    if (first?.signing === undefined) refuse(noSigningKey);
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
  if (keys[0]?.signing === undefined) refuse(noSigningKey);
  return keys;
}

/** A key of `node:crypto`, a JSON Web Key (RFC 7517; its `kid` is kept), or the bytes of a shared secret for `HS…`. */
type TokenKey = KeyObject | JWK | Uint8Array;

/** A parsed key. */
interface SigningKey {
  readonly kid: string;
  /** Key for signing; undefined for a retired key that only verifies. */
  readonly signing: KeyObject | undefined;
  readonly verifying: KeyObject;
  /** The public key; undefined for a shared secret, which is never published. */
  readonly published: JWK | undefined;
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
  if (isShared !== algorithm.startsWith('HS')) refuse(`a ${given.type} key, which does not fit ${algorithm}`);
  if (isShared && (given.symmetricKeySize ?? 0) < minKeyBytes)
    refuse(`a secret of ${given.symmetricKeySize} bytes; use at least ${minKeyBytes}`);
  const verifying = given.type === 'private' ? createPublicKey(given) : given;
  const jwk = verifying.export({ format: 'jwk' }) as JWK; // Node and jose declare the same members
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
  throw badOption('createTokenIssuer', 'key', problem);
}
