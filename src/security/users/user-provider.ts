import type { RequestUser } from '#http';

/** The fields of a user that security needs. User classes of applications are compatible if they have these fields. */
export interface SecurityUser extends RequestUser {
  /** The output of the password hasher; absent for users who cannot log in with a password. */
  readonly passwordHash?: string | undefined;
  /** False refuses the user, including existing sessions. Default true. */
  readonly isEnabled?: boolean | undefined;
}

/**
 * Port: the source of users. Called at login and again for every request that continues a session, so that a removed
 * user, a new password or a lost role takes effect at once. Contract suite: `checkUserProvider`.
 */
export interface UserProvider<User extends SecurityUser = SecurityUser> {
  readonly name: string;
  /** Returns the user with exactly this identifier, or undefined. Must not match another spelling. */
  findUser(identifier: string): User | undefined | Promise<User | undefined>;
  /** Stores a new hash of the same password, created at a login. Absent if hashes cannot be changed. */
  savePasswordHash?(user: User, passwordHash: string): void | Promise<void>;
}
