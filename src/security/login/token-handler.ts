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
  /** What it says more after a failure. */
  readonly describeFailure?: (message: string) => string;
}

/** Login by a token with every request. Failures are answered 401. */
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

/** The passport of whoever a token stands for. Throws an `AuthenticationError` for a token that is not good. */
async function tokenPassport(handler: TokenHandler, token: string, request: HttpRequest): Promise<Passport> {
  if (token === '' || token.length > maxTokenLength)
    throw new AuthenticationError('token', 'The token is empty or too long.');
  const owner = await handler.findOwner(token, request);
  if (owner === undefined) throw new AuthenticationError('token', `The token is unknown to ${handler.name}.`);
  if ('identifier' in owner) return { identifier: owner.identifier, badges: [] };
  return { identifier: owner.user.identifier, badges: [], loadUser: () => owner.user };
}

/**
 * Tokens without content of their own. The lookup receives the token's hash (`hashToken`): a reader of the table
 * cannot use it, and how long a lookup takes reveals nothing of the token.
 */
export function opaqueTokens(
  find: (tokenHash: string) => TokenOwner | undefined | Promise<TokenOwner | undefined>,
): TokenHandler {
  return { name: 'opaque tokens', findOwner: (token) => find(hashToken(token)) };
}

/** A fixed list: token → identifier. For a handful of machines whose tokens come from the environment. */
export function listedTokens(tokens: Readonly<Record<string, string>>): TokenHandler {
  const owners = new Map(
    Object.entries(tokens).map(([token, identifier]) => [hashToken(token), { identifier }]),
  );
  return opaqueTokens((tokenHash) => owners.get(tokenHash));
}
