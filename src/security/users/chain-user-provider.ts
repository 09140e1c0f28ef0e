import type { SecurityUser, UserProvider } from './user-provider.js';

/**
 * Creates a provider that tries several providers in order. The first one that knows a user returns it, and stores its
 * new password hashes.
 */
export function createChainUserProvider<User extends SecurityUser>(
  providers: readonly UserProvider<User>[],
): UserProvider<User> {
  return {
    name: providers.map((provider) => provider.name).join(', '),
    async findUser(identifier) {
      for (const provider of providers) {
        const user = await provider.findUser(identifier);
        if (user !== undefined) return user;
      }
      return undefined;
    },
    async savePasswordHash(user, passwordHash) {
      for (const provider of providers) {
        if ((await provider.findUser(user.identifier)) === undefined) continue;
        await provider.savePasswordHash?.(user, passwordHash);
        return;
      }
    },
  };
}
