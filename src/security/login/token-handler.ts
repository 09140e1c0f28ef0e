import type { HttpRequest } from '#http';
import type { SecurityUser } from '../users/security-user.js';

/** Whom a token stands for: a user's identifier, or the user itself where no provider knows it. */
export type TokenOwner = { readonly identifier: string } | { readonly user: SecurityUser };

/** Port: what a token means. Gives undefined, or throws an `AuthenticationError`, for one that is not good. */
export interface TokenHandler {
  readonly name: string;
  findOwner(token: string, request: HttpRequest): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}
