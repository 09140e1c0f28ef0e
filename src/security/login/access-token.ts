import type { HttpRequest } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import { badOption } from '../errors/error-codes.js';
import { quoteHeader, readAuthorization } from './authorization-header.js';
import { type TokenHandler, tokenLogin } from './token-handler.js';

export interface AccessTokenOptions {
  /** Finds the owners of tokens: `opaqueTokens(...)`, `jwtTokens(...)`, or a handler of the application. */
  readonly handler: TokenHandler;
  /** Scheme of the `Authorization` header; case-insensitive (RFC 9110 section 11.1). Default `Bearer`. */
  readonly scheme?: string;
  /** Name of the authenticator; needed only if a firewall has two of this kind. Default `access-token`. */
  readonly name?: string;
  /** Realm in `WWW-Authenticate`. Default `api`. */
  readonly realm?: string;
  /**
   * Query parameter from which tokens are read as well. They end up in logs and histories: use it only for clients that
   * cannot send headers.
   */
  readonly queryParameter?: string;
}

/**
 * Authenticates requests with an access token: `Authorization: Bearer …` (RFC 6750), or another scheme. Answers failures
 * with 401. For Bearer, `WWW-Authenticate` has the details of RFC 6750.
 */
export function accessToken(options: AccessTokenOptions): Authenticator {
  const { queryParameter, scheme = 'Bearer' } = options;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(scheme) || scheme.toLowerCase() === 'basic') {
    throw badOption(
      'accessToken',
      'scheme',
      `"${scheme}"; use a token of RFC 9110 section 5.6.2, and httpBasic() for Basic`,
    );
  }
  const isBearer = scheme.toLowerCase() === 'bearer';
  const challenge = `${scheme} realm=${quoteHeader(options.realm ?? 'api')}`;
  const tokenOf = (request: HttpRequest): string | undefined =>
    readAuthorization(request, scheme) ??
    (queryParameter === undefined ? undefined : (request.query.get(queryParameter) ?? undefined));
  return tokenLogin({
    name: options.name ?? 'access-token',
    scheme: { type: 'http', scheme: scheme.toLowerCase() },
    handler: options.handler,
    tokenOf,
    challenge,
    describeFailure: (message) =>
      isBearer ? `, error="invalid_token", error_description=${quoteHeader(message)}` : '',
  });
}
