import { UnauthorizedError } from '#errors';
import type { Authenticator } from '../authentication/authenticator.js';
import { quoteHeader } from './authorization-header.js';
import { type TokenHandler, tokenPassport } from './token-handler.js';

export interface ApiKeyOptions {
  readonly handler: TokenHandler;
  /** Default `X-API-Key`. */
  readonly header?: string;
}

/** A key in a header of its own with every request. Failures are answered 401. */
export function apiKey(options: ApiKeyOptions): Authenticator {
  const header = options.header ?? 'X-API-Key';
  const challenge = `ApiKey realm="api", header=${quoteHeader(header)}`;
  return {
    name: 'api-key',
    isInteractive: false,
    scheme: { type: 'apiKey', in: 'header', name: header },
    supports: (request) => request.headers.has(header),
    authenticate: (request) => tokenPassport(options.handler, request.headers.get(header) ?? '', request),
    onFailure(_request, error) {
      throw new UnauthorizedError(challenge, error.message, { cause: error });
    },
    challenge: () => challenge,
  };
}
