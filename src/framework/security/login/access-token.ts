import {
  anObject,
  checkOptions,
  checkValue,
  objectWith,
  optionsSchema,
  type OptionsSchema,
  required,
  text,
} from '#core/options';
import { UnauthorizedError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import { AuthenticationError, type Authenticator, type Passport } from '../authentication/authenticator.js';
import { badOption } from '../secrets/error-codes.js';
import { hashToken } from '../secrets/signed-cookies.js';
import type { SecurityUser } from '../users/user-provider.js';

interface AccessTokenOptions {
  /** Finds token owners: `opaqueTokens(...)`, or the application's own handler. */
  readonly handler: TokenHandler;
  /** The `Authorization` header's scheme; case-insensitive (RFC 9110 section 11.1). Default `Bearer`. */
  readonly scheme?: string;
  /** Name of a header that contains only the token, instead of `Authorization`: `X-API-Key`. */
  readonly header?: string;
  /**
   * Name of the authenticator; needed only if a firewall has two of the same kind. Default `access-token`; with
   * `header` `api-key`.
   */
  readonly name?: string;
  /** Realm in `WWW-Authenticate`. Default `api`. */
  readonly realm?: string;
}

export const accessTokenSchema: OptionsSchema<AccessTokenOptions> = optionsSchema<AccessTokenOptions>({
  handler: required(objectWith('a TokenHandler', 'findOwner')),
  scheme: text,
  header: text,
  name: text,
  realm: text,
});

/**
 * Authenticates requests with an access token: `Authorization: Bearer …` (RFC 6750), another scheme, or a separate
 * header. Answers failures with 401. For Bearer, `WWW-Authenticate` has the details of RFC 6750.
 */
export function accessToken(options: AccessTokenOptions): Authenticator {
  checkOptions('accessToken()', options, accessTokenSchema);
  const { handler, header, scheme = header === undefined ? 'Bearer' : 'ApiKey' } = options;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(scheme) || scheme.toLowerCase() === 'basic') {
    throw badOption(
      'accessToken',
      'scheme',
      `"${scheme}"; use a token of RFC 9110 section 5.6.2, and httpBasic() for Basic`,
    );
  }
  const isBearer = scheme.toLowerCase() === 'bearer';
  const where = header === undefined ? '' : `, header=${quoteHeader(header)}`;
  const challenge = `${scheme} realm=${quoteHeader(options.realm ?? 'api')}${where}`;
  const tokenOf = (request: HttpRequest): string | undefined =>
    header === undefined ? readAuthorization(request, scheme) : request.headers.get(header);
  return {
    name: options.name ?? (header === undefined ? 'access-token' : 'api-key'),
    scheme:
      header === undefined
        ? { type: 'http', scheme: scheme.toLowerCase() }
        : { type: 'apiKey', in: 'header', name: header },
    isInteractive: false,
    supports: (request) => tokenOf(request) !== undefined,
    authenticate: (request) => tokenPassport(handler, tokenOf(request) ?? '', request),
    onFailure(_request, error) {
      const details = isBearer
        ? `, error="invalid_token", error_description=${quoteHeader(error.message)}`
        : '';
      throw new UnauthorizedError(challenge + details, error.message, { cause: error });
    },
    challenge: () => challenge,
  };
}

/** A token's owner: a user's identifier, or the user itself if no provider knows it. */
export type TokenOwner = { readonly identifier: string } | { readonly user: SecurityUser };

/** Port: finds a token's owner. Returns undefined, or throws an `AuthenticationError`, for an invalid token. */
export interface TokenHandler {
  readonly name: string;
  findOwner(token: string, request: HttpRequest): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}

const maxTokenLength = 16_384;

/** Creates a passport for a token's owner. Throws an `AuthenticationError` for an invalid token. */
async function tokenPassport(handler: TokenHandler, token: string, request: HttpRequest): Promise<Passport> {
  if (token === '' || token.length > maxTokenLength)
    throw new AuthenticationError('token', 'The token is empty or too long.');
  const owner = await handler.findOwner(token, request);
  if (owner === undefined) throw new AuthenticationError('token', `The token is unknown to ${handler.name}.`);
  if ('identifier' in owner) return { identifier: owner.identifier, badges: [] };
  return { identifier: owner.user.identifier, badges: [], loadUser: () => owner.user };
}

/**
 * Accepts random tokens without contents. The lookup receives the token's hash (`hashToken`), so that stored hashes
 * cannot be used as tokens, and the lookup time reveals nothing about a token.
 */
export function opaqueTokens(
  find: (tokenHash: string) => TokenOwner | undefined | Promise<TokenOwner | undefined>,
): TokenHandler {
  return { name: 'opaque tokens', findOwner: (token) => find(hashToken(token)) };
}

/** Accepts a fixed list, token → identifier: for a few machines whose tokens come from the environment. */
export function listedTokens(tokens: Readonly<Record<string, string>>): TokenHandler {
  checkValue('listedTokens()', 'tokens', tokens, anObject('an object with user identifiers by token'));
  const owners = new Map(
    Object.entries(tokens).map(([token, identifier]) => [hashToken(token), { identifier }]),
  );
  return opaqueTokens((tokenHash) => owners.get(tokenHash));
}

/** Returns an Authorization header's credentials for this (case-insensitive) scheme (RFC 9110 section 11.4). */
export function readAuthorization(request: HttpRequest, scheme: string): string | undefined {
  const values = request.headers.getAll('authorization');
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined; // several headers are ambiguous
  const space = value.indexOf(' ');
  if (space === -1 || value.slice(0, space).toLowerCase() !== scheme.toLowerCase()) return undefined;
  return value.slice(space + 1).trim();
}

/** Renders a quoted-string for a header; omits characters that are not allowed in one. */
export function quoteHeader(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}
