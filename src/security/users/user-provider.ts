import type { SecurityUser } from './security-user.js';

/**
 * Port: where users come from. Asked at login and again at every request that continues a session, so that a
 * removed user, a new password or a lost role counts at once. Contract suite: `checkUserProvider`.
 */
export interface UserProvider<User extends SecurityUser = SecurityUser> {
  readonly name: string;
  /** The user who signs in with this identifier, or undefined. Must not fall for another spelling of it. */
  findUser(identifier: string): User | undefined | Promise<User | undefined>;
  /** Stores a better hash of the same password, made at a login. Absent where hashes cannot be changed. */
  savePasswordHash?(user: User, passwordHash: string): void | Promise<void>;
}
