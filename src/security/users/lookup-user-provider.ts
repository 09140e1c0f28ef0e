import type { SecurityUser, UserProvider } from './user-provider.js';

export interface LookupOptions<User extends SecurityUser = SecurityUser> {
  /** Name of the provider in records. Default `lookup`. */
  readonly name?: string;
  readonly savePasswordHash?: (user: NoInfer<User>, passwordHash: string) => void | Promise<void>;
}

/**
 * Creates a provider from a function; use it for users in a database.
 * `createLookupUserProvider((email) => entityManager().findOne(User, { email }))`. A result of `null` means no user,
 * as does one whose identifier is not exactly the requested one (a database may compare case-insensitively).
 */
export function createLookupUserProvider<User extends SecurityUser>(
  find: (identifier: string) => User | null | undefined | Promise<User | null | undefined>,
  options: LookupOptions<User> = {},
): UserProvider<User> {
  const provider: UserProvider<User> = {
    name: options.name ?? 'lookup',
    async findUser(identifier) {
      const user = (await find(identifier)) ?? undefined;
      return user?.identifier === identifier ? user : undefined;
    },
  };
  if (options.savePasswordHash === undefined) return provider;
  return { ...provider, savePasswordHash: options.savePasswordHash };
}
