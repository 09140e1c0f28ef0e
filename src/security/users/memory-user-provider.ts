import type { SecurityUser } from './security-user.js';
import type { UserProvider } from './user-provider.js';

/** Users listed in the code: for tests, first days and small tools. */
export interface MemoryUserProvider extends UserProvider {
  /** Adds a user, or puts it in the place of the one with that identifier. */
  put(user: SecurityUser): void;
  remove(identifier: string): void;
}

/** A provider over a list. The users given are not changed; a renewed hash is kept in the provider. */
export function createMemoryUserProvider(users: Iterable<SecurityUser>): MemoryUserProvider {
  const known = new Map<string, SecurityUser>();
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
