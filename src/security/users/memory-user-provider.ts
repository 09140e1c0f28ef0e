import type { SecurityUser, UserProvider } from './user-provider.js';

/** A provider with a list of users in memory: for tests, prototypes and small tools. */
export interface MemoryUserProvider<User extends SecurityUser = SecurityUser> extends UserProvider<User> {
  /** Adds a user, or replaces the one with the same identifier. */
  put(user: User): void;
  remove(identifier: string): void;
}

/**
 * Creates a provider for a list of users. The given objects are not changed; renewed hashes are stored in the provider.
 */
export function createMemoryUserProvider<User extends SecurityUser = SecurityUser>(
  users: Iterable<NoInfer<User>>,
): MemoryUserProvider<User> {
  const known = new Map<string, User>();
  for (const user of users) known.set(user.identifier, user);
  return {
    name: 'memory',
    findUser: (identifier) => known.get(identifier),
    savePasswordHash(user, passwordHash) {
      const current = known.get(user.identifier);
      if (current !== undefined) known.set(user.identifier, { ...current, passwordHash });
    },
    put: (user) => void known.set(user.identifier, user),
    remove: (identifier) => void known.delete(identifier),
  };
}
