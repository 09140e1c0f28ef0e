import type { ValueResolver } from '#controller';
import type { HttpRequest } from '#http';
import type { SecurityToken } from './authentication/authenticator.js';
import { AccessDeniedError } from './authorization/access-denied-error.js';
import { requestSecurity } from './state/request-security.js';
import type { SecurityUser } from './users/user-provider.js';

/**
 * The user as a controller's argument. An anonymous visitor is asked to log in. `User` is the application's own class,
 * as its provider returns it.
 */
export function currentUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User> {
  return {
    name: 'user',
    async resolve(request) {
      const token = await loadToken(request);
      if (token === undefined) throw new AccessDeniedError('You must be logged in to see this page.');
      return token.user as User; // the provider of the application made it
    },
  };
}

/** The user, or undefined for a stranger. */
export function optionalUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User | undefined> {
  return {
    name: 'user',
    resolve: async (request) => (await loadToken(request))?.user as User | undefined, // the provider of the application made it
  };
}

/** The token of the request; loads what a lazy firewall has put off. */
export async function loadToken(request: HttpRequest): Promise<SecurityToken | undefined> {
  const security = request.scope.get(requestSecurity);
  await security?.load();
  return security?.token;
}
