import type { HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Passport } from '../authentication/passport.js';
import type { TokenHandler } from './token-handler.js';

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
