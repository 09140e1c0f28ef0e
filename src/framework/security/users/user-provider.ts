import {
  callable,
  checkOptions,
  checkValue,
  optionsSchema,
  type OptionsSchema,
  optionType,
  text,
} from '#core/options';
import type { RequestUser } from '#core/http';
import type { Signer } from '../secrets/signed-cookies.js';

/** The user fields that security needs. Application user classes are compatible if they have these fields. */
export interface SecurityUser extends RequestUser {
  /** The password hasher's output; absent for users who cannot log in with a password. */
  readonly passwordHash?: string | undefined;
  /** False refuses the user, including existing sessions. Default true. */
  readonly isEnabled?: boolean | undefined;
}

/** Returns a text that changes with the user's password and does not reveal it: sessions and cookies are bound to it. */
export function userFingerprint(signer: Signer, user: SecurityUser): string {
  return signer.sign('user', JSON.stringify([user.identifier, user.passwordHash ?? null]));
}

/** Returns whether a fingerprint matches the current user, with any of the signer's secrets. */
export function isFingerprintOf(signer: Signer, user: SecurityUser, fingerprint: string): boolean {
  return signer.verify('user', JSON.stringify([user.identifier, user.passwordHash ?? null]), fingerprint);
}

/**
 * Port: the source of users. Called at login and again for every request in a session, so that removing a user,
 * changing a password or revoking a role takes effect at once.
 */
export interface UserProvider<User extends SecurityUser = SecurityUser> {
  readonly name: string;
  /** Returns the user with exactly this identifier, or undefined. Must not match another spelling. */
  findUser(identifier: string): User | undefined | Promise<User | undefined>;
  /** Stores a new hash of the same password, created at a login. Absent if hashes cannot be changed. */
  savePasswordHash?(user: User, passwordHash: string): void | Promise<void>;
}

/** A provider with a list of users in memory: for tests, prototypes and small tools. */
interface MemoryUserProvider<User extends SecurityUser = SecurityUser> extends UserProvider<User> {
  /** Adds a user, or replaces the one with the same identifier. */
  put(user: User): void;
  remove(identifier: string): void;
}

const iterableUsers = optionType<Iterable<SecurityUser>>(
  'a list or another iterable of users',
  (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
);

/** Creates a provider for a list of users, which is not modified; renewed hashes are stored in the provider. */
export function createMemoryUserProvider<User extends SecurityUser = SecurityUser>(
  users: Iterable<NoInfer<User>>,
): MemoryUserProvider<User> {
  checkValue('createMemoryUserProvider()', 'users', users, iterableUsers);
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

interface LookupOptions<User extends SecurityUser = SecurityUser> {
  /** Name of the provider in records. Default `lookup`. */
  readonly name?: string;
  readonly savePasswordHash?: (user: NoInfer<User>, passwordHash: string) => void | Promise<void>;
}

export const lookupSchema: OptionsSchema<LookupOptions> = optionsSchema<LookupOptions>({
  name: text,
  savePasswordHash: callable(),
});

/**
 * Creates a provider from a function; use it for users in a database: `createLookupUserProvider((email) =>
 * persistence.current().findOne(User, { email }))`. `null` means no user, and so does a user whose identifier differs
 * from the requested one (a database may compare case-insensitively).
 */
export function createLookupUserProvider<User extends SecurityUser>(
  find: (identifier: string) => User | null | undefined | Promise<User | null | undefined>,
  options: LookupOptions<User> = {},
): UserProvider<User> {
  checkOptions('createLookupUserProvider()', options, lookupSchema);
  return {
    name: 'lookup',
    ...options,
    async findUser(identifier) {
      if (identifier.includes('\0')) return undefined; // databases cannot store such a text, and some reject the query
      const user = (await find(identifier)) ?? undefined;
      return user?.identifier === identifier ? user : undefined;
    },
  };
}
