import type { ValueResolver } from '#controller';
import type { HttpRequest } from '#http';
import type { SecurityToken } from './authentication/authenticator.js';
import { AccessDeniedError } from './authorization/access-denied-error.js';
import { requestSecurity } from './state/request-security.js';
import type { SecurityUser } from './users/user-provider.js';

/**
 * Resolves the user as a controller argument. An anonymous visitor is sent to the login. `User` is the application's own
 * class, as its provider returns it.
 */
export function currentUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User> {
  return {
    name: 'user',
    async resolve(request) {
      const token = await loadToken(request);
      if (token === undefined) throw new AccessDeniedError('You must be logged in to see this page.');
      return token.user as User; // created by the provider of the application
    },
  };
}

/** Resolves the user as a controller argument, or undefined for an anonymous visitor. */
export function optionalUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User | undefined> {
  return {
    name: 'user',
    resolve: async (request) => (await loadToken(request))?.user as User | undefined, // created by the provider of the application
  };
}

/** Returns the token of the request; loads the user first if a lazy firewall has deferred that. */
export async function loadToken(request: HttpRequest): Promise<SecurityToken | undefined> {
  const security = request.scope.get(requestSecurity);
  await security?.load();
  return security?.token;
}
