import { AuthenticationError } from './authentication-error.js';
import type { Badge, PassportContext } from './passport.js';

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
