import type { SecurityUser, UserProvider } from './user-provider.js';

/** Tries several providers in turn; the first that knows the user answers, and stores the user's new hashes. */
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
