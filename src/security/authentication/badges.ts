import { AuthenticationError } from './authentication-error.js';
import type { Badge, PassportContext } from './passport.js';

/** The request has to come from a page of this site: nobody should be logged in by a stranger's form. */
export function csrfBadge(): Badge {
  return {
    name: 'csrf',
    isResolved: false,
    isPreliminary: true, // a stranger's page must not use up the visitor's tries
    async check({ request, csrf }: PassportContext) {
      const verdict = (await csrf?.check(request)) ?? { allowed: true, reason: 'no guard' };
      if (!verdict.allowed) throw new AuthenticationError('csrf', verdict.reason);
    },
  };
}

/** The password has to be right. A better hash is stored on the way, where the provider can. */
export function passwordBadge(password: string): Badge {
  return {
    name: 'password',
    isResolved: false,
    async check({ user, passwords, provider }: PassportContext) {
      const { valid, renewed } = await passwords.check(user?.passwordHash, password);
      if (!valid || user === undefined) {
        throw new AuthenticationError(
          'credentials',
          user === undefined ? 'No such user.' : 'Wrong password.',
        );
      }
      if (renewed !== undefined) await provider.savePasswordHash?.(user, renewed);
    },
  };
}
