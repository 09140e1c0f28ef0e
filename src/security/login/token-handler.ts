import type { HttpRequest } from '#http';
import type { SecurityUser } from '../users/user-provider.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Passport } from '../authentication/authenticator.js';

/** The owner of a token: a user's identifier, or the user itself if no provider knows it. */
export type TokenOwner = { readonly identifier: string } | { readonly user: SecurityUser };

/** Port: finds the owner of a token. Returns undefined, or throws an `AuthenticationError`, for an invalid one. */
export interface TokenHandler {
  readonly name: string;
  findOwner(token: string, request: HttpRequest): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}

const maxTokenLength = 16_384;

/** The passport of whoever a token stands for. Throws an `AuthenticationError` for a token that is not good. */
export async function tokenPassport(
  handler: TokenHandler,
  token: string,
  request: HttpRequest,
): Promise<Passport> {
  if (token === '' || token.length > maxTokenLength)
    throw new AuthenticationError('token', 'The token is empty or too long.');
  const owner = await handler.findOwner(token, request);
  if (owner === undefined) throw new AuthenticationError('token', `The token is unknown to ${handler.name}.`);
  if ('identifier' in owner) return { identifier: owner.identifier, badges: [] };
  return { identifier: owner.user.identifier, badges: [], loadUser: () => owner.user };
}
