import { badOption, securityErrors } from '../errors/error-codes.js';
import { createArgon2Hasher, isArgon2Available } from './argon2-hasher.js';
import type { PasswordHasher } from './password-hasher.js';
import { createScryptHasher } from './scrypt-hasher.js';

/** Hashes passwords with the preferred hasher and verifies hashes of all hashers. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Checks a password. Without a hash (the user is unknown or has no password) it is invalid, and the check takes as long.
   * `renewed` is a new hash to store if the old one has another algorithm or a lower cost.
   */
  check(hash: string | undefined, password: string): Promise<{ valid: boolean; renewed?: string }>;
}

/** Maximum length in UTF-8 bytes; longer passwords are refused before hashing. */
const maxPasswordBytes = 4096;

/**
 * Creates the password checks for the given hashers: the first one creates new hashes, all of them verify. Default:
 * argon2id, or scrypt if `@node-rs/argon2` cannot be loaded.
 */
export function createPasswords(hashers?: readonly PasswordHasher[]): Passwords {
  const known = hashers ?? [createArgon2Hasher(), createScryptHasher()];
  let chosen: Promise<PasswordHasher> | undefined;
  let decoy: Promise<string> | undefined;
  const best = (): Promise<PasswordHasher> =>
    (chosen ??= chooseHasher(known, { isGiven: hashers !== undefined }));
  // Verified for unknown users, so that they take as long as known ones. Created once.
  const decoyHash = (): Promise<string> => (decoy ??= best().then((hasher) => hasher.hash('decoy')));

  return {
    async hash(password) {
      const length = Buffer.byteLength(password);
      if (length > maxPasswordBytes)
        throw securityErrors.create('SECURITY_PASSWORD_TOO_LONG', { length, limit: maxPasswordBytes });
      return (await best()).hash(password);
    },
    async check(hash, password) {
      const decoyed = await decoyHash();
      if (Buffer.byteLength(password) > maxPasswordBytes) return { valid: false };
      const maker = known.find((hasher) => hash !== undefined && hasher.handles(hash));
      if (hash === undefined || maker === undefined) {
        await (await best()).verify(decoyed, password);
        return { valid: false };
      }
      if (!(await maker.verify(hash, password))) return { valid: false };
      const hasher = await best();
      if (hasher === maker && !maker.isOutdated(hash)) return { valid: true };
      return { valid: true, renewed: await hasher.hash(password) };
    },
  };
}

async function chooseHasher(
  known: readonly PasswordHasher[],
  { isGiven }: { readonly isGiven: boolean },
): Promise<PasswordHasher> {
  const [first, second] = known;
  if (first === undefined) throw badOption('createPasswords', 'hashers', 'empty');
  if (isGiven || second === undefined || (await isArgon2Available())) return first;
  return second;
}
