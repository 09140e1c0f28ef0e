import type { Authenticator } from '../authentication/authenticator.js';
import { quoteHeader } from './authorization-header.js';
import { type TokenHandler, tokenLogin } from './token-handler.js';

export interface ApiKeyOptions {
  readonly handler: TokenHandler;
  /** Name of the header with the key. Default `X-API-Key`. */
  readonly header?: string;
}

/** Authenticates requests with an API key in a separate header. Answers failures with 401. */
export function apiKey(options: ApiKeyOptions): Authenticator {
  const header = options.header ?? 'X-API-Key';
  return tokenLogin({
    name: 'api-key',
    scheme: { type: 'apiKey', in: 'header', name: header },
    handler: options.handler,
    tokenOf: (request) => request.headers.get(header),
    challenge: `ApiKey realm="api", header=${quoteHeader(header)}`,
  });
}
