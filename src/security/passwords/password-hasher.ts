/**
 * Port: one algorithm for hashing passwords. A hash contains its algorithm and cost, so that old hashes stay verifiable.
 * Contract suite: `checkPasswordHasher`.
 */
export interface PasswordHasher {
  readonly name: string;
  /** Returns a salted hash; two hashes of the same password differ. */
  hash(password: string): Promise<string>;
  /** Returns whether the hash matches the password; false for a malformed hash. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Returns whether this hasher can verify the hash. */
  handles(hash: string): boolean;
  /** Returns whether a hash of this algorithm has a lower cost than new hashes. */
  isOutdated(hash: string): boolean;
}
