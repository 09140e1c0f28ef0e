import { UnauthorizedError } from '#errors';
import type { HttpRequest } from '#http';
import type { SecurityUser } from '../users/user-provider.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator, Passport } from '../authentication/authenticator.js';
import { hashToken } from '../secrets/random-token.js';

/** The owner of a token: a user's identifier, or the user itself if no provider knows it. */
export type TokenOwner = { readonly identifier: string } | { readonly user: SecurityUser };

/** Port: finds the owner of a token. Returns undefined, or throws an `AuthenticationError`, for an invalid one. */
export interface TokenHandler {
  readonly name: string;
  findOwner(token: string, request: HttpRequest): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}

const maxTokenLength = 16_384;

interface TokenLogin extends Required<Pick<Authenticator, 'name' | 'scheme'>> {
  readonly handler: TokenHandler;
  /** The token that a request carries. */
  readonly tokenOf: (request: HttpRequest) => string | undefined;
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string;
  /** Returns additional parameters for `WWW-Authenticate` after a failure. */
  readonly describeFailure?: (message: string) => string;
}

/** Creates an authenticator for requests with a token. Answers failures with 401. */
export function tokenLogin(login: TokenLogin): Authenticator {
  const { name, scheme, handler, tokenOf, challenge, describeFailure = () => '' } = login;
  return {
    name,
    isInteractive: false,
    scheme,
    supports: (request) => tokenOf(request) !== undefined,
    authenticate: (request) => tokenPassport(handler, tokenOf(request) ?? '', request),
    onFailure(_request, error) {
      throw new UnauthorizedError(challenge + describeFailure(error.message), error.message, {
        cause: error,
      });
    },
    challenge: () => challenge,
  };
}

/** Creates the passport of the owner of a token. Throws an `AuthenticationError` for an invalid token. */
async function tokenPassport(handler: TokenHandler, token: string, request: HttpRequest): Promise<Passport> {
  if (token === '' || token.length > maxTokenLength)
    throw new AuthenticationError('token', 'The token is empty or too long.');
  const owner = await handler.findOwner(token, request);
  if (owner === undefined) throw new AuthenticationError('token', `The token is unknown to ${handler.name}.`);
  if ('identifier' in owner) return { identifier: owner.identifier, badges: [] };
  return { identifier: owner.user.identifier, badges: [], loadUser: () => owner.user };
}

/**
 * Accepts random tokens without contents. The lookup receives the hash of the token (`hashToken`), so that the stored hashes
 * cannot be used as tokens, and the duration of the lookup reveals nothing about a token.
 */
export function opaqueTokens(
  find: (tokenHash: string) => TokenOwner | undefined | Promise<TokenOwner | undefined>,
): TokenHandler {
  return { name: 'opaque tokens', findOwner: (token) => find(hashToken(token)) };
}

/**
 * Accepts a fixed list of tokens, given as token → identifier. For a few machines whose tokens come from the environment.
 */
export function listedTokens(tokens: Readonly<Record<string, string>>): TokenHandler {
  const owners = new Map(
    Object.entries(tokens).map(([token, identifier]) => [hashToken(token), { identifier }]),
  );
  return opaqueTokens((tokenHash) => owners.get(tokenHash));
}
