import { randomBytes, scryptSync } from 'node:crypto';
import type { PasswordHasher } from 'lookback/security';

/** A fast hasher, written as an application would write one for its existing hashes. */
export function createCheapHasher(name: string): Required<Omit<PasswordHasher, 'isOutdated'>> {
  const hashWith = (password: string, salt: string): string =>
    `$${name}$${salt}$${scryptSync(password, salt, 16, { N: 2 }).toString('hex')}`;
  return {
    name,
    hash: async (password) => hashWith(password, randomBytes(8).toString('hex')),
    verify: async (hash, password) => hashWith(password, hash.split('$')[2] ?? '') === hash,
    handles: (hash) => hash.startsWith(`$${name}$`),
  };
}
