import type { SecurityUser, UserProvider } from './user-provider.js';

/** Users listed in the code: for tests, first days and small tools. */
export interface MemoryUserProvider<User extends SecurityUser = SecurityUser> extends UserProvider<User> {
  /** Adds a user, or puts it in the place of the one with that identifier. */
  put(user: User): void;
  remove(identifier: string): void;
}

/** A provider over a list. The given users are not changed; a renewed hash is kept in the provider. */
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
