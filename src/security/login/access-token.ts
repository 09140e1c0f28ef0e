import type { HttpRequest } from '#http';
import { UnauthorizedError } from '#errors';
import type { Authenticator } from '../authentication/authenticator.js';
import { quoteHeader, readAuthorization } from './authorization-header.js';
import type { TokenHandler } from './token-handler.js';
import { tokenPassport } from './token-passport.js';

export interface AccessTokenOptions {
  /** What tokens mean: `opaqueTokens(...)`, `jwtTokens(...)`, or a handler of the application. */
  readonly handler: TokenHandler;
  /** Default `api`. */
  readonly realm?: string;
  /** Reads tokens from this query parameter as well. They end up in logs and histories: only where a client cannot send headers. */
  readonly queryParameter?: string;
}

/** An access token with every request: `Authorization: Bearer …` (RFC 6750). Failures are answered 401. */
export function accessToken(options: AccessTokenOptions): Authenticator {
  const challenge = `Bearer realm=${quoteHeader(options.realm ?? 'api')}`;
  const { queryParameter } = options;
  const tokenOf = (request: HttpRequest): string | undefined =>
    readAuthorization(request, 'bearer') ??
    (queryParameter === undefined ? undefined : (request.query.get(queryParameter) ?? undefined));
  return {
    name: 'access-token',
    isInteractive: false,
    supports: (request) => tokenOf(request) !== undefined,
    authenticate: (request) => tokenPassport(options.handler, tokenOf(request) ?? '', request),
    onFailure(_request, error) {
      const detail = `error="invalid_token", error_description=${quoteHeader(error.message)}`;
      throw new UnauthorizedError(`${challenge}, ${detail}`, error.message, { cause: error });
    },
    challenge: () => challenge,
  };
}
