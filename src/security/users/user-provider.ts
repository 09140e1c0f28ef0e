import type { RequestUser } from '#http';

/** A user as security needs one. An application's own user class fits as soon as it has these. */
export interface SecurityUser extends RequestUser {
  /** The output of the password hasher; absent for users who cannot log in with a password. */
  readonly passwordHash?: string | undefined;
  /** False keeps the user out, also out of sessions that are open. Default true. */
  readonly isEnabled?: boolean | undefined;
}

/**
 * Port: the source of users. Called at login and again for every request that continues a session, so that a removed
 * user, a new password or a lost role takes effect at once. Contract suite: `checkUserProvider`.
 */
export interface UserProvider<User extends SecurityUser = SecurityUser> {
  readonly name: string;
  /** The user with this identifier, or undefined. Must not match another spelling of it. */
  findUser(identifier: string): User | undefined | Promise<User | undefined>;
  /** Stores a better hash of the same password, created at a login. Absent if hashes cannot be changed. */
  savePasswordHash?(user: User, passwordHash: string): void | Promise<void>;
}
