import { hashToken } from '../secrets/random-token.js';
import type { TokenHandler, TokenOwner } from './token-handler.js';

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
