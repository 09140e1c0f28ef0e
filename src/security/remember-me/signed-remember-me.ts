import type { HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { createBadge } from '../authentication/badges.js';
import type { Passport } from '../authentication/authenticator.js';
import { securityOf } from '../state/request-security.js';
import type { Signer } from '../secrets/signer.js';
import type { SecurityUser } from '../users/user-provider.js';
import { createRememberMeCookie } from './remember-me-cookie.js';
import type { RememberMe, RememberMeOptions } from '../state/firewall.js';

const cookiePattern = /^([A-Za-z0-9_-]{1,1024})\.(\d{10,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * Creates remember-me without a store: the cookie contains the user and the expiry time, signed together with the password
 * hash of the user, so that a new password invalidates it on every device. A single device cannot be signed out.
 */
export function createSignedRememberMe(signer: Signer, options: RememberMeOptions): RememberMe {
  const { cookie, lifetime } = createRememberMeCookie(options);
  const textFor = (user: SecurityUser, expires: string): string =>
    JSON.stringify([user.identifier, expires, user.passwordHash ?? null]);
  const issue = (request: HttpRequest, user: SecurityUser): string => {
    const expires = String(Math.floor(Date.now() / 1000) + lifetime);
    const name = Buffer.from(user.identifier).toString('base64url');
    return cookie.render(request, `${name}.${expires}.${signer.sign('remember-me', textFor(user, expires))}`);
  };

  function authenticate(request: HttpRequest): Passport {
    const [, name = '', expires = '0', signature = ''] = cookiePattern.exec(cookie.read(request) ?? '') ?? [];
    if (signature === '') throw new AuthenticationError('malformed', 'The remember-me cookie is malformed.');
    if (Number(expires) * 1000 <= Date.now())
      throw new AuthenticationError('expired', 'The remember-me cookie has expired.');
    return {
      identifier: Buffer.from(name, 'base64url').toString(),
      badges: [
        createBadge('signature', ({ user }) => {
          if (user !== undefined && signer.verify('remember-me', textFor(user, expires), signature)) return;
          throw new AuthenticationError('token', 'The signature does not match the user and the password.');
        }),
      ],
    };
  }

  return {
    authenticator: {
      name: 'remember-me',
      isInteractive: true,
      supports: (request) => cookie.read(request) !== undefined,
      authenticate,
      onSuccess(request, token) {
        securityOf(request).rememberMeCookie = issue(request, token.user); // each use renews the lifetime
        return undefined;
      },
      onFailure(request) {
        securityOf(request).rememberMeCookie = cookie.renderRemoval(request);
        return undefined;
      },
    },
    async remember(request, user, { wanted, security }) {
      if (wanted || options.always === true) security.rememberMeCookie = issue(request, user);
      else await this.forget(request, security);
    },
    async forget(request, security) {
      if (cookie.read(request) !== undefined) security.rememberMeCookie = cookie.renderRemoval(request);
    },
  };
}
