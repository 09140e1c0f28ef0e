/**
 * Port: one way of hashing passwords. A hash names its own way and cost, so that old ones stay verifiable.
 * Contract suite: `checkPasswordHasher`.
 */
export interface PasswordHasher {
  readonly name: string;
  /** A salted hash; two of the same password differ. */
  hash(password: string): Promise<string>;
  /** Whether `hash` was made of the password; false for a hash that is broken. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether the hash was made in this way. */
  handles(hash: string): boolean;
  /** Whether a hash of this way was made with a lower cost than today's. */
  isOutdated(hash: string): boolean;
}
