/**
 * Port: one way of hashing passwords. A hash names its own way and cost, so that old ones stay verifiable.
 * Contract suite: `checkPasswordHasher`.
 */
export interface PasswordHasher {
  readonly name: string;
  /** A salted hash; two of the same password differ. */
  hash(password: string): Promise<string>;
  /** Whether `hash` belongs to the password; false for a malformed hash. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether this hasher can verify the hash. */
  handles(hash: string): boolean;
  /** Whether a hash of this kind has a lower cost than today's. */
  isOutdated(hash: string): boolean;
}
