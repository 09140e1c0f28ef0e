import { TooManyRequestsError, UnauthorizedError } from '#errors';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator } from '../authentication/authenticator.js';
import { passwordBadge } from '../authentication/badges.js';
import { quoteHeader, readAuthorization } from './authorization-header.js';

export interface HttpBasicOptions {
  /** Text that browsers may show in the login dialog. Default `Secured Area`. */
  readonly realm?: string;
}

/**
 * Authenticates requests with HTTP Basic (RFC 7617, UTF-8). Answers failures with 401, or 429 after too many attempts.
 */
export function httpBasic(options: HttpBasicOptions = {}): Authenticator {
  const challenge = `Basic realm=${quoteHeader(options.realm ?? 'Secured Area')}, charset="UTF-8"`;
  return {
    name: 'http-basic',
    isInteractive: false,
    isAmbient: true,
    scheme: { type: 'http', scheme: 'basic' },
    supports: (request) => readAuthorization(request, 'basic') !== undefined,
    authenticate(request) {
      const text = decodeCredentials(readAuthorization(request, 'basic') ?? '');
      const colon = text?.indexOf(':') ?? -1;
      if (text === undefined || colon < 1 || text.length > 8192) {
        throw new AuthenticationError('malformed', 'The credentials are not base64 of name:password.');
      }
      return {
        identifier: text.slice(0, colon),
        badges: [passwordBadge(text.slice(colon + 1))],
        isThrottled: true,
      };
    },
    onFailure(_request, error) {
      if (error.reason === 'throttled') {
        throw new TooManyRequestsError(error.retryAfter, error.message, { cause: error });
      }
      throw new UnauthorizedError(challenge, error.message, { cause: error });
    },
    challenge: () => challenge,
  };
}

function decodeCredentials(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
