import type { HttpRequest } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import { badOption } from '../errors/error-codes.js';
import { quoteHeader, readAuthorization } from './authorization-header.js';
import { type TokenHandler, tokenLogin } from './token-handler.js';

export interface AccessTokenOptions {
  /** What tokens mean: `opaqueTokens(...)`, `jwtTokens(...)`, or a handler of the application. */
  readonly handler: TokenHandler;
  /** The scheme of the `Authorization` header, compared without case (RFC 9110 section 11.1). Default `Bearer`. */
  readonly scheme?: string;
  /** Name of the authenticator; needed only where a firewall has two of this kind. Default `access-token`. */
  readonly name?: string;
  /** Default `api`. */
  readonly realm?: string;
  /** Reads tokens from this query parameter as well. They end up in logs and histories: only where a client cannot send headers. */
  readonly queryParameter?: string;
}

/**
 * An access token with every request: `Authorization: Bearer …` (RFC 6750), or another scheme. Failures are answered
 * 401; the details in `WWW-Authenticate` are those of RFC 6750, and of Bearer only.
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
